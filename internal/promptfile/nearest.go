package promptfile

import "github.com/quirehq/quire/internal/edits"

// nearestTo returns the name that a misspelt word most likely meant, or "" when none is near.
func nearestTo(word string, names []string) string {
	if len(word) > 32 {
		return ""
	}
	best, distance := "", 3
	for _, name := range names {
		if d := edits.Distance(word, name); d < distance && d < len(name) {
			best, distance = name, d
		}
	}
	return best
}
