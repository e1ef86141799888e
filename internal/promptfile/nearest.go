package promptfile

// nearestTo returns the name that a misspelt word most likely meant, or "" when none is near.
func nearestTo(word string, names []string) string {
	if len(word) > 32 {
		return ""
	}
	best, distance := "", 3
	for _, name := range names {
		if d := edits(word, name); d < distance && d < len(name) {
			best, distance = name, d
		}
	}
	return best
}

// edits counts the bytes to insert, delete or replace to turn a into b (Levenshtein).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
