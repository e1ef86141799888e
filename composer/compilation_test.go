package composer_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/quirehq/quire/composer"
)

func ExampleRefuseRecipe() {
	reason := errors.New(`byte 1: want "kind":"mine"`)
	for _, src := range []string{`{"kind":"yours"}`, `{"kind":"mine","version":"quire/0"}`, `{"kind":"mine","version":"quire/1","x":0}`} {
		fmt.Println(composer.RefuseRecipe([]byte(src), "mine", reason))
	}
	// Output:
	// not a recipe: kind "yours"; want "mine"
	// recipe of another compiler version: "quire/0"; this build compiles "quire/1"
	// not a recipe: byte 1: want "kind":"mine"
}

func TestRefuseRecipe(t *testing.T) {
	reason := errors.New("reason")
	for _, test := range []struct {
		name, src string
		is        error
		why       bool // the reason is told
	}{
		{"no JSON", `{"kind":"mine","version":"quire/0"`, composer.ErrRecipe, true},
		{"something behind", `{"kind":"mine","version":"quire/0"}}`, composer.ErrRecipe, true},
		{"no object", `["mine","quire/0"]`, composer.ErrRecipe, true},
		{"no kind", `{"version":"quire/0"}`, composer.ErrRecipe, true},
		{"a version that is no string", `{"kind":"mine","version":0}`, composer.ErrRecipe, true},
		{"no version", `{"kind":"mine"}`, composer.ErrRecipe, true},
		{"another version in another form", `{ "new":[{"kind":"yours"}], "version":"quire/2", "kind":"mine" }`, composer.ErrVersion, false},
		{"this version in another form", `{ "version":"quire/1", "kind":"mine" }`, composer.ErrRecipe, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := composer.RefuseRecipe([]byte(test.src), "mine", reason)
			if !errors.Is(err, test.is) || errors.Is(err, reason) != test.why {
				t.Errorf("error %v", err)
			}
		})
	}
}
