package cachelab

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed profiles/*.json
var documents embed.FS

// builtin reads the embedded documents once; nothing changes them.
var builtin = sync.OnceValues(func() ([]Profile, error) {
	files, err := documents.ReadDir("profiles")
	if err != nil {
		return nil, err
	}
	var list []Profile
	for _, file := range files {
		name := "profiles/" + file.Name()
		src, err := documents.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p, err := ParseProfile(src)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b Profile) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
})

// Profiles returns the built-in profiles, by name. The figures in them must not be changed; a caller's own profile comes
// from [ParseProfile].
func Profiles() []Profile {
	list, err := builtin()
	if err != nil {
		panic(err) // unreachable: a test reads every embedded document
	}
	return slices.Clone(list)
}

// ProfileByName returns the built-in profile of the name.
func ProfileByName(name string) (Profile, bool) {
	for _, p := range Profiles() {
		if p.Name == name {
			return p, true
		}
	}
	return Profile{}, false
}

// ProfileDocument returns the document of a built-in profile: what to start from when a figure is known better.
func ProfileDocument(name string) ([]byte, bool) {
	if _, ok := ProfileByName(name); !ok {
		return nil, false
	}
	src, err := documents.ReadFile("profiles/" + name + ".json")
	return src, err == nil
}

// ProfileOf returns the built-in profile of a model: the one of which the longest beginning of a name fits.
func ProfileOf(model string) (Profile, bool) {
	var best Profile
	longest := -1
	for _, p := range Profiles() {
		if n, ok := p.Serves(model); ok && n > longest {
			best, longest = p, n
		}
	}
	return best, longest >= 0
}
