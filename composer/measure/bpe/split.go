package bpe

// A splitter returns where the piece that starts at text[at] ends; at is less than len(text). Pieces are what a regular
// expression of the vocabulary's author matches one after another; merges never cross them. The functions here are
// those expressions by hand: each looks at a byte a bounded number of times, so that splitting is linear on any text.
type splitter func(text string, at int) int

// splitO200k matches
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|\p{N}{1,3}
//	| ?[^\s\p{L}\p{N}]+[\r\n/]*
//	|\s*[\r\n]+
//	|\s+(?!\S)
//	|\s+
func splitO200k(text string, at int) int {
	c, width := classAt(text, at)
	switch {
	case c&letters != 0:
		end, _ := casedWord(text, at)
		return contraction(text, end)
	case c == number:
		return digits(text, at+width)
	case c&prefix != 0:
		end, first := casedWord(text, at+width)
		switch {
		case !first && c == mark:
			// Only the second alternative takes the word after the mark, and the first one, tried before it, takes the
			// mark alone as its word.
			return contraction(text, at+width)
		case end > at+width:
			return contraction(text, end)
		}
	}
	if end := symbols(text, at, c); end > at {
		for end < len(text) && (text[end] == '/' || text[end] == '\n' || text[end] == '\r') {
			end++
		}
		return end
	}
	return spaces(text, at)
}

// splitCL100k matches
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	|[^\r\n\p{L}\p{N}]?\p{L}+
//	|\p{N}{1,3}
//	| ?[^\s\p{L}\p{N}]+[\r\n]*
//	|\s*[\r\n]+
//	|\s+(?!\S)
//	|\s+
func splitCL100k(text string, at int) int {
	if end := contraction(text, at); end > at {
		return end
	}
	c, width := classAt(text, at)
	switch {
	case c&letters != 0:
		return skip(text, at+width, letters)
	case c == number:
		return digits(text, at+width)
	case c&prefix != 0:
		if end := skip(text, at+width, letters); end > at+width {
			return end
		}
	}
	if end := symbols(text, at, c); end > at {
		for end < len(text) && (text[end] == '\n' || text[end] == '\r') {
			end++
		}
		return end
	}
	return spaces(text, at)
}

// casedWord matches the word of the first two alternatives of o200k at text[at], without prefix and contraction, and
// says whether it is the first that matches. When neither does, end is at.
//
// The first alternative takes capitals and then at least one of the rest, and gives capitals back until there is one:
// if no small letter follows the run of what may be a capital, its last member that may also be the rest ends the word.
func casedWord(text string, at int) (end int, first bool) {
	const capital, rest = upper | letter | mark, lower | letter | mark
	either := -1
	for end = at; end < len(text); {
		c, width := classAt(text, end)
		if c == lower {
			return skip(text, end+width, rest), true
		}
		if c&capital == 0 {
			break
		}
		end += width
		if c != upper {
			either = end
		}
	}
	if either >= 0 {
		return either, true
	}
	return end, false
}

// contraction returns the end of (?i:'s|'t|'re|'ve|'m|'ll|'d)? at text[at]. Of these letters only s has a fold that
// is not ASCII, the long s.
func contraction(text string, at int) int {
	if at+1 >= len(text) || text[at] != '\'' {
		return at
	}
	switch text[at+1] | 0x20 {
	case 's', 't', 'm', 'd':
		return at + 2
	case 'r', 'v':
		if at+2 < len(text) && text[at+2]|0x20 == 'e' {
			return at + 3
		}
	case 'l':
		if at+2 < len(text) && text[at+2]|0x20 == 'l' {
			return at + 3
		}
	}
	const longS = "ſ"
	if at+len(longS) < len(text) && text[at+1:at+1+len(longS)] == longS {
		return at + 1 + len(longS)
	}
	return at
}

// digits matches the rest of \p{N}{1,3} after the first digit.
func digits(text string, at int) int {
	for range 2 {
		if at == len(text) {
			break
		}
		c, width := classAt(text, at)
		if c != number {
			break
		}
		at += width
	}
	return at
}

// symbols matches " ?[^\s\p{L}\p{N}]+" at text[at], whose class is c.
func symbols(text string, at int, c class) int {
	from := at
	if text[at] == ' ' {
		from++
	} else if c&punct == 0 {
		return at
	}
	if end := skip(text, from, punct); end > from {
		return end
	}
	return at
}

// spaces matches "\s*[\r\n]+|\s+(?!\S)|\s+" at text[at], which is white space: up to the last line end of the run; or
// all of it at the end of the text; or all but the last, which the next piece may take; or the only one.
func spaces(text string, at int) int {
	var line, last int
	end := at
	for end < len(text) {
		c, width := classAt(text, end)
		if c&white == 0 {
			break
		}
		last = end
		end += width
		if c == newline {
			line = end
		}
	}
	switch {
	case line > 0:
		return line
	case end == len(text) || last == at:
		return end
	}
	return last
}
