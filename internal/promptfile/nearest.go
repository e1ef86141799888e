package promptfile

import "github.com/quirehq/quire/internal/edits"

// nearestTo returns the name that a misspelt word most likely meant, or "" when none is near: at most two edits away, and
// at most half of the word.
func nearestTo(word string, names []string) string {
	if len(word) > 32 {
		return ""
	}
	best, distance := "", min(2, len(word)/2)+1
	for _, name := range names {
		if d := edits.Distance(word, name); d < distance {
			best, distance = name, d
		}
	}
	return best
}
