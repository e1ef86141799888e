package fragments_test

import (
	"testing"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fragments"
)

// must is for what a test sets up.
func must[T any](v T, err error) T {
	if err != nil {
		panic("unreachable in a test that is set up right: " + err.Error())
	}
	return v
}

func composed(t testing.TB, a fragments.Assembly) string {
	t.Helper()
	c, err := a.Compose(composer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return c.Text()
}

// names lists the names of the sections, or of the tools.
func sectionNames(a fragments.Assembly) []string {
	names := []string{}
	for _, s := range a.Sections {
		names = append(names, s.Name)
	}
	return names
}

func toolNames(a fragments.Assembly) []string {
	names := []string{}
	for _, t := range a.Tools {
		names = append(names, t.Name)
	}
	return names
}
