package composer

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// A Compilation is a composition with what it takes to make it again from the beginning: the recipe of the front end that
// made its sections, and the texts that the recipe names. With Kind, Recipe and Inputs left out it is a composition that
// no front end made, whose recipe is [Composition.Recipe].
type Compilation struct {
	Composition Composition
	Kind        string   // of the recipe: it says which front end compiles it
	Recipe      []byte   // canonical JSON; every input stands in it by its digest, as a string of 64 hex digits
	Inputs      []string // in any order; one that the recipe names twice may come twice
}

// RefuseRecipe returns the error for a text that could not be read as a recipe of a kind, for that reason: [ErrVersion] when
// it says that it is one of the kind and of another [Version], whatever its form, else [ErrRecipe].
func RefuseRecipe(src []byte, kind string, reason error) error {
	var r struct {
		Kind    string `json:"kind"`
		Version string `json:"version"`
	}
	if json.Unmarshal(src, &r) == nil && r.Kind != "" && (r.Kind != kind || r.Version != "") {
		if err := foreign(r.Kind, r.Version, kind); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrRecipe, reason)
}

// foreign refuses what a recipe says of itself where that is another kind or version.
func foreign(kind, version, want string) error {
	switch {
	case kind != want:
		return fmt.Errorf("%w: kind %q; want %q", ErrRecipe, kind, want)
	case version != Version:
		return fmt.Errorf("%w: %q; this build compiles %q", ErrVersion, version, Version)
	}
	return nil
}
