package cachelab

import (
	"strings"
)

// A Code says what a finding of [Lint] is about, or why [Explain] says that a request misses.
type Code string

// What in a text is likely to be different the next time it is made.
const (
	Clock   Code = "clock"   // a time of day
	Date    Code = "date"    // a day that the text says is today
	UUID    Code = "uuid"    // a random identifier
	Hex     Code = "hex"     // a long hexadecimal number: a digest, a commit
	Counter Code = "counter" // a number that counts what was left out, turns, or requests
	Path    Code = "path"    // a path of one machine or user
	Pointer Code = "pointer" // an address in memory
	ID      Code = "id"      // an identifier with a generated part, such as call_8Xk2…
)

// A span is a part of a text that looks volatile.
type span struct {
	from, to int
	code     Code
	sure     bool // one text is enough to say so; else it takes a second one in which it differs
}

// volatileSpans finds what looks volatile in a text, from left to right. No two overlap. Nothing here depends on tables
// of characters: only ASCII is looked at.
func volatileSpans(text string) []span {
	var spans []span
	for i := 0; i < len(text); {
		if !isWord(text[i]) && text[i] != '/' || i > 0 && isWord(text[i-1]) {
			i++
			continue
		}
		s, ok := spanAt(text, i)
		if !ok {
			i++
			continue
		}
		spans = append(spans, s)
		i = s.to
	}
	return spans
}

func spanAt(text string, i int) (span, bool) {
	rest := text[i:]
	if n := pathLen(rest); n > 0 {
		return span{i, i + n, Path, true}, true
	}
	if n := dateLen(rest); n > 0 {
		if t := timeAfterDate(rest[n:]); t > 0 {
			return span{i, i + n + t, Clock, !cue(text[:i], examples)}, true
		}
		return span{i, i + n, Date, cue(text[:i], todays) && !cue(text[:i], examples)}, true
	}
	if n := clockLen(rest); n > 0 {
		return span{i, i + n, Clock, cue(text[:i], todays) && !cue(text[:i], examples)}, true
	}
	word := wordLen(rest)
	token := rest[:word]
	switch {
	case isUUID(rest):
		return span{i, i + 36, UUID, !cue(text[:i], examples)}, true
	case isPointer(token):
		return span{i, i + word, Pointer, len(token) >= 10 && !cue(text[:i], examples)}, true
	case word >= 8 && allHex(token) && hasDigit(token) && hasLetter(token):
		return span{i, i + word, Hex, word >= 32 && !cue(text[:i], examples)}, true
	case isGenerated(token):
		return span{i, i + word, ID, false}, true
	case isEpoch(token):
		return span{i, i + word, Clock, cue(text[:i], todays)}, true
	case allDigits(token):
		if removed(text[i+word:]) {
			return span{i, i + word, Counter, true}, true
		}
		if cue(text[:i], counters) {
			return span{i, i + word, Counter, false}, true
		}
		if i > 0 && text[i-1] == '=' && word >= 4 {
			return span{i, i + word, Counter, cue(text[:i], checksums)}, true
		}
	}
	return span{}, false
}

// What says, shortly before a value, what it is. Lower case; compared without case.
var (
	todays    = []string{"today", "current date", "current time", "the date is", "date:", "time:", "now:", "it is now", "timestamp", "as of", "generated at", "started at", "datetime"}
	examples  = []string{"e.g.", "eg ", "example", "such as", "format", "like", "i.e.", "default", "pattern", "between", "since"}
	counters  = []string{"turn", "step", "request", "iteration", "attempt", "count", "session", "build", "counter", "seq", "nonce", "pid", "#", "request_id", "message"}
	checksums = []string{"cch=", "checksum=", "request_id=", "req=", "nonce=", "ts=", "session=", "sid=", "seq=", "hash="}
	leftOut   = []string{"removed", "omitted", "truncated", "hidden", "dropped", "elided", "trimmed", "left out", "not shown", "pruned"}
)

// cue reports whether one of the words stands in the last 40 bytes of the same line.
func cue(before string, words []string) bool {
	before = before[max(0, len(before)-40):]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	before = strings.ToLower(before)
	for _, w := range words {
		if strings.Contains(before, w) {
			return true
		}
	}
	return false
}

// removed reports whether what follows a number says that so much was left out: up to four words, then one of leftOut.
func removed(after string) bool {
	after = after[:min(len(after), 48)]
	for i, c := range []byte(after) {
		if strings.IndexByte(".;:\n\r\"\\", c) >= 0 {
			after = after[:i]
			break
		}
	}
	after = strings.ToLower(after)
	for _, w := range leftOut {
		if i := strings.Index(after, w); i > 0 && strings.Count(after[:i], " ") <= 5 {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isWord(c byte) bool   { return isDigit(c) || isLetter(c) || c == '_' }
func isHex(c byte) bool    { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func hasDigit(s string) bool  { return strings.ContainsAny(s, "0123456789") }
func hasLetter(s string) bool { return holds(s, isLetter) }

func holds(s string, f func(byte) bool) bool {
	for i := range len(s) {
		if f(s[i]) {
			return true
		}
	}
	return false
}

func all(s string, f func(byte) bool) bool {
	return s != "" && !holds(s, func(c byte) bool { return !f(c) })
}

func allHex(s string) bool    { return all(s, isHex) }
func allDigits(s string) bool { return all(s, isDigit) }

func wordLen(s string) int {
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return n
}

// pattern matches a text against one in which 0 stands for a digit and everything else for itself.
func pattern(s, p string) bool {
	if len(s) < len(p) {
		return false
	}
	for i := range len(p) {
		if p[i] == '0' && !isDigit(s[i]) || p[i] != '0' && s[i] != p[i] {
			return false
		}
	}
	return true
}

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
	"november", "december"}

// dateLen returns how long the day is that the text begins with: 2026-11-30, 11/30/2026, November 30, 2026,
// 30 November 2026, each with or without the day of the week before it. It is 0 where there is none.
func dateLen(s string) int {
	if n := weekdayLen(s); n > 0 {
		if m := dayLen(s[n:]); m > 0 {
			return n + m
		}
	}
	return dayLen(s)
}

func dayLen(s string) int {
	switch {
	case pattern(s, "0000-00-00") && !more(s, 10):
		return 10
	case pattern(s, "0000-00-00T"):
		return 10
	case pattern(s, "00/00/0000") && !more(s, 10):
		return 10
	}
	if n := monthLen(s); n > 0 { // November 30, 2026
		d := digitsLen(s[n:])
		for _, p := range []string{", 0000", " 0000"} {
			if (d == 1 || d == 2) && pattern(s[n+d:], p) && !more(s, n+d+len(p)) {
				return n + d + len(p)
			}
		}
	}
	if d := digitsLen(s); (d == 1 || d == 2) && len(s) > d && s[d] == ' ' { // 30 November 2026
		if n := monthLen(s[d+1:]); n > 0 && pattern(s[d+1+n:], "0000") && !more(s, d+1+n+4) {
			return d + 1 + n + 4
		}
	}
	return 0
}

func more(s string, n int) bool { return len(s) > n && isWord(s[n]) }

func digitsLen(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

// monthLen returns the length of a month's name, or its first three letters, with the blank after it.
func monthLen(s string) int {
	for _, m := range months {
		if !foldPrefix(s, m[:3]) {
			continue
		}
		n := 3
		if foldPrefix(s, m) {
			n = len(m)
		}
		if n < len(s) && s[n] == ' ' {
			return n + 1
		}
	}
	return 0
}

var weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// weekdayLen returns the length of a day's name, or its first three letters, with what stands between it and a date.
func weekdayLen(s string) int {
	for _, d := range weekdays {
		if !foldPrefix(s, d[:3]) {
			continue
		}
		n := 3
		if foldPrefix(s, d) {
			n = len(d)
		}
		if strings.HasPrefix(s[n:], ", ") {
			return n + 2
		}
		if strings.HasPrefix(s[n:], " ") {
			return n + 1
		}
	}
	return 0
}

// foldPrefix reports whether a text begins with a word of lower-case letters, in any case.
func foldPrefix(s, lower string) bool {
	if len(s) < len(lower) {
		return false
	}
	for i := range len(lower) {
		if s[i]|0x20 != lower[i] {
			return false
		}
	}
	return true
}

// timeAfterDate returns the length of a time of day after a day, the separator and the zone included.
func timeAfterDate(s string) int {
	lead := 0
	switch {
	case strings.HasPrefix(s, "T"), strings.HasPrefix(s, " "):
		lead = 1
	case strings.HasPrefix(s, ", "):
		lead = 2
	case strings.HasPrefix(s, " at "):
		lead = 4
	default:
		return 0
	}
	if n := clockLen(s[lead:]); n > 0 {
		return lead + n
	}
	return 0
}

// clockLen returns the length of 10:41, 10:41:02, 10:41:02.123, with Z, an offset, AM or PM after it.
func clockLen(s string) int {
	n := 0
	switch {
	case pattern(s, "00:00"):
		n = 5
	case pattern(s, "0:00"):
		n = 4
	default:
		return 0
	}
	if pattern(s[n:], ":00") {
		n += 3
		if n < len(s) && (s[n] == '.' || s[n] == ',') {
			if d := digitsLen(s[n+1:]); d > 0 {
				n += 1 + d
			}
		}
	}
	for _, zone := range []string{"Z", "+00:00", "-00:00", " AM", " PM", " am", " pm", "AM", "PM", " UTC"} {
		if pattern(s[n:], zone) {
			n += len(zone)
			break
		}
	}
	if more(s, n) || n < len(s)-1 && s[n] == ':' && isDigit(s[n+1]) {
		return 0
	}
	return n
}

func isUUID(s string) bool {
	if len(s) < 36 || more(s, 36) {
		return false
	}
	for i := range 36 {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

func isPointer(word string) bool {
	return len(word) >= 8 && strings.HasPrefix(word, "0x") && allHex(word[2:])
}

// isGenerated reports whether a word is a short name and a generated part: call_8Xk2pQ7vRt, toolu_01A….
func isGenerated(word string) bool {
	_, rest, ok := strings.Cut(word, "_")
	return ok && len(rest) >= 8 && hasDigit(rest) && (hasLetter(rest) || len(rest) >= 12) && !strings.Contains(rest, "_")
}

// isEpoch reports whether a word is a time in seconds or milliseconds since 1970, of the years 2001 to 2036.
func isEpoch(word string) bool {
	return (len(word) == 10 || len(word) == 13) && allDigits(word) && (word[0] == '1' || word[:2] == "20")
}

// homes are where the paths of one user or one run begin, with what follows them up to the next separator.
var homes = []string{"/home/", "/Users/", "/var/folders/", "/private/var/", "/private/tmp/"}

// pathLen returns the length of a path of one machine at the beginning of the text.
func pathLen(s string) int {
	lead := 0
	for _, h := range homes {
		if strings.HasPrefix(s, h) && len(s) > len(h) && isWord(s[len(h)]) {
			lead = len(h)
		}
	}
	if lead == 0 && len(s) > 10 && s[1] == ':' && isLetter(s[0]) {
		if under := strings.TrimLeft(s[2:], `\/`); len(under) < len(s)-2 && strings.HasPrefix(under, "Users") {
			lead = len(s) - len(under) + len("Users")
		}
	}
	if lead == 0 {
		return 0
	}
	n := lead
	for n < len(s) && s[n] > ' ' && s[n] < 0x7f && strings.IndexByte("\"'`<>()[]{},;", s[n]) < 0 {
		n++
	}
	return n
}

// mask returns the text with everything that looks volatile replaced by what it looks like, and the kind of the first.
func mask(text string) string {
	var b strings.Builder
	at := 0
	for _, s := range volatileSpans(text) {
		b.WriteString(text[at:s.from])
		b.WriteByte(0)
		switch s.code {
		case UUID, Hex, ID, Pointer:
			b.WriteString("generated")
		default:
			b.WriteString(string(s.code))
		}
		b.WriteByte(0)
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}
