package cachelab

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/quirehq/quire/internal/edits"
)

// Why a request misses: see [Explain].
const (
	ToolsAdded        Code = "tools_added"
	ToolsRemoved      Code = "tools_removed"
	ToolsReordered    Code = "tools_reordered"
	ToolSchemaChanged Code = "tool_schema_changed"
	SystemChanged     Code = "system_changed"
	VolatileValue     Code = "volatile_value"    // the texts differ only by times, dates, counters or paths
	GeneratedID       Code = "generated_id"      // they differ only by identifiers that are made anew each time
	MessageEdited     Code = "message_edited"    // also: one was put in between
	MessageRemoved    Code = "message_removed"   // what is left is the same
	MessagesMerged    Code = "messages_merged"   // two messages became one, or one became two
	TruncationJitter  Code = "truncation_jitter" // the same text, cut elsewhere
	ShapeOnly         Code = "shape_only"        // the same value, spelled differently
	TrailingNewline   Code = "trailing_newline"
	EOLOnly           Code = "eol_only"
	UnicodeForm       Code = "unicode_form"
	MediaReencoded    Code = "media_reencoded"
	ParamsChanged     Code = "params_changed"
	ModelChanged      Code = "model_changed"
	MarkerLimit       Code = "marker_limit"
	MarkerUnmatched   Code = "marker_unmatched"
	TTLOrder          Code = "ttl_order"
	LookbackExceeded  Code = "lookback_exceeded"
	BelowMinimum      Code = "below_minimum"
	ThinkingStripped  Code = "thinking_stripped" // nothing in the request: the service leaves out what was thought before
)

// sameButFor says how two different texts are the same after all, or "".
//
// Composed and decomposed characters are told by NFC, whose result Unicode's stability policy fixes for all characters
// that exist: a later table changes no answer that was right.
func sameButFor(a, b string) Code {
	switch {
	case unixLines(a) == unixLines(b):
		return EOLOnly
	case strings.TrimRight(a, "\r\n") == strings.TrimRight(b, "\r\n"):
		return TrailingNewline
	case norm.NFC.String(a) == norm.NFC.String(b):
		return UnicodeForm
	}
	if mask(a) != mask(b) {
		return ""
	}
	at := edits.CommonPrefix(a, b)
	for _, s := range volatileSpans(a) {
		if at >= s.to {
			continue
		}
		switch s.code {
		case UUID, Hex, ID, Pointer:
			return GeneratedID
		}
		return VolatileValue
	}
	return VolatileValue
}

func unixLines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// cutElsewhere reports whether one text is the other, cut earlier or later, each perhaps with a notice at the cut: they
// begin alike for at least half of the shorter one, and what is left of that is no longer than a notice. A text that is
// not known to be cut, as the result of a tool may be, has to have a notice.
func cutElsewhere(a, b string, result bool) bool {
	if !result && !noticed(a) && !noticed(b) {
		return false
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	head := edits.CommonPrefix(a, b)
	return head >= 16 && head >= len(a)/2 && len(a)-head <= longestNotice && (len(a) != len(b) || noticed(a))
}

const longestNotice = 80

func noticed(text string) bool {
	end := strings.ToLower(text[max(0, len(text)-longestNotice):])
	for _, w := range append([]string{"shortened", "cut here", "…", "..."}, leftOut...) {
		if strings.Contains(end, w) {
			return true
		}
	}
	return false
}
