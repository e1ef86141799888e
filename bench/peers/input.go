package main

import (
	"fmt"
	"strings"
)

// An Input is what every peer is given. Later sections are worth more than earlier ones, as in a history.
type Input struct {
	Sections []string `json:"sections"` // "section 17: lorem …", ASCII, so that characters are the same in both languages
	Budget   int64    `json:"budget"`   // half of what all sections count
}

// NewInput returns sections of 240 to 280 characters.
func NewInput(count int) Input {
	const shortest, lengths = 240, 41
	filler := strings.Repeat("lorem ipsum dolor sit amet ", 12)
	in := Input{Sections: make([]string, count)}
	for i := range in.Sections {
		in.Sections[i] = (fmt.Sprintf("section %d: ", i) + filler)[:shortest+i*37%lengths]
		in.Budget += tokens(len(in.Sections[i]))
	}
	in.Budget /= 2
	return in
}

// tokens is the measure of the comparison: a quarter of the characters, rounded up.
func tokens(characters int) int64 { return int64(characters+3) / 4 }
