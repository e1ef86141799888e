package tiers

import "math"

// offerOrder returns the indices of the items from one index up to another in the order in which they are offered: by
// priority, the higher first, and as they stand where priorities are equal.
//
// What is in order already stays. The rest is a radix sort, which is linear and stable: it distributes the items by one
// byte of their priorities after the other, the lowest first, as often as the range of the priorities has bytes.
func offerOrder(items []Item, from, to int) []int {
	order := make([]int, to-from)
	inOrder, most, least := true, math.MinInt, math.MaxInt
	for k := range order {
		order[k] = from + k
		p := items[from+k].Priority
		inOrder = inOrder && p <= least
		most, least = max(most, p), min(least, p)
	}
	if inOrder {
		return order
	}
	next, below := make([]int, len(order)), make([]uint64, len(order)) // below: by how much most exceeds the priority
	for k := range below {
		below[k] = uint64(most) - uint64(items[from+k].Priority)
	}
	for span, shift := uint64(most)-uint64(least), 0; span>>shift > 0; shift += 8 {
		var places [256]int // at first how many items have the byte, then where the next one that has it goes
		for _, d := range below {
			places[byte(d>>shift)]++
		}
		first := 0
		for b, n := range places {
			places[b] = first
			first += n
		}
		for _, i := range order {
			place := &places[byte(below[i-from]>>shift)]
			next[*place] = i
			*place++
		}
		order, next = next, order
	}
	return order
}
