// Package pages reads long listings of a store page by page, each after the last row of the one before: no
// transaction stays open while the reader works, and nothing is skipped by counting.
package pages

import "iter"

// Size is how many rows a page holds; one with fewer is the last.
const Size = 500

// All yields what next returns, page after page; next goes on after the row it is given, at the start with nil.
func All[T any](next func(after *T) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var after *T
		for {
			rows, err := next(after)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for i := range rows {
				if !yield(rows[i], nil) {
					return
				}
			}
			if len(rows) < Size {
				return
			}
			after = &rows[len(rows)-1]
		}
	}
}
