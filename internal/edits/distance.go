// Package edits tells how far two texts are from each other: what they begin with in common, and, for messages that guess
// what was meant, how many edits part two names.
package edits

// Distance returns the least number of bytes to insert, delete or replace that turns a into b (Levenshtein). It takes
// time proportional to the product of the lengths.
func Distance(a, b string) int {
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

// CommonPrefix returns how many bytes two texts begin with in common.
func CommonPrefix[T string | []byte](a, b T) int {
	n := min(len(a), len(b))
	const block = 256 // compared at once, in the runtime's assembly
	i := 0
	for ; i+block <= n && string(a[i:i+block]) == string(b[i:i+block]); i += block {
	}
	for ; i < n && a[i] == b[i]; i++ {
	}
	return i
}
