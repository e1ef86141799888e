package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var header = regexp.MustCompile(`section (\d+): `)

// Kept returns the numbers of the sections that the texts of a prompt contain, in their order.
func Kept(prompt []string) (kept []int) {
	for _, text := range prompt {
		for _, match := range header.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(match[1]) // digits
			kept = append(kept, n)
		}
	}
	return kept
}

// Ranges writes numbers as "50–99 (50)", or "1, 3–4 (3)", in their order.
func Ranges(numbers []int) string {
	if len(numbers) == 0 {
		return "none"
	}
	var parts []string
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		part := strconv.Itoa(numbers[i])
		if end > i {
			part += "–" + strconv.Itoa(numbers[end])
		}
		parts = append(parts, part)
		i = end + 1
	}
	const most = 4
	if len(parts) > most {
		parts = append(parts[:most], "…")
	}
	return fmt.Sprintf("%s (%d)", strings.Join(parts, ", "), len(numbers))
}

// Difference says how what a peer kept differs from what Quire kept: "same", or "2 fewer", or the numbers where neither
// is the end of the other.
func Difference(quire, peer []int) string {
	switch n := len(peer) - len(quire); {
	case slices.Equal(quire, peer):
		return "same"
	case n < 0 && slices.Equal(quire[-n:], peer):
		return fmt.Sprintf("%d fewer", -n)
	case n > 0 && slices.Equal(quire, peer[n:]):
		return fmt.Sprintf("%d more", n)
	}
	return Ranges(peer)
}
