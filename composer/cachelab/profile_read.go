package cachelab

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/fingerprint"
)

// A ProfileError says where a profile document is at fault.
type ProfileError struct {
	Line, Column int    // from 1
	Pointer      string // the value at fault, as a JSON pointer; "" is the whole document
	Err          error
}

// Error gives the place and the reason.
func (e *ProfileError) Error() string {
	at := fmt.Sprintf("line %d, column %d", e.Line, e.Column)
	if e.Pointer != "" {
		at += " (" + e.Pointer + ")"
	}
	return "cachelab: profile: " + at + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *ProfileError) Unwrap() error { return e.Err }

// ParseProfile reads a profile from one JSON object. Every member of [Profile] but notes is required and no other is
// allowed; a document says all it knows, with its source, or says that it is assumed. Every error is a [*ProfileError].
func ParseProfile(src []byte) (Profile, error) {
	if _, err := fingerprint.Canonical(src); err != nil {
		var at *fingerprint.JSONError
		if errors.As(err, &at) {
			return Profile{}, &ProfileError{at.Line, at.Column, at.Pointer, at.Err}
		}
		return Profile{}, &ProfileError{1, 1, "", err}
	}
	if name, pointer := missing(src); name != "" {
		return Profile{}, profileError(src, pointer, fmt.Errorf("no member %q", name))
	}
	var p Profile
	if err := json.Unmarshal(src, &p, json.RejectUnknownMembers(true)); err != nil {
		var s *json.SemanticError
		if !errors.As(err, &s) {
			return Profile{}, &ProfileError{1, 1, "", err}
		}
		return Profile{}, profileError(src, string(s.JSONPointer), reason(s))
	}
	for _, c := range p.check() {
		if !c.ok {
			return Profile{}, profileError(src, c.pointer, errors.New(c.want))
		}
	}
	return p, nil
}

// reason says what a semantic error says, without Go's types.
func reason(s *json.SemanticError) error {
	switch {
	case errors.Is(s.Err, json.ErrUnknownName):
		return errors.New("a profile has no such member")
	case errors.Is(s.Err, ErrRate):
		return ErrRate
	case s.JSONValue != nil:
		return fmt.Errorf("%s is not what belongs here", s.JSONValue)
	}
	return fmt.Errorf("a JSON %s does not belong here", s.JSONKind)
}

// missing returns the first required member that a document lacks, and the object that it should be in. The document is
// JSON; what is no object where one belongs is left to the decoder.
func missing(doc []byte) (name, pointer string) {
	lacks := func(v jsontext.Value, at string, names ...string) (members map[string]jsontext.Value, ok bool) {
		if json.Unmarshal(v, &members) != nil {
			return nil, false
		}
		for _, n := range names {
			if _, has := members[n]; !has {
				name, pointer = n, at
				return members, true
			}
		}
		return members, false
	}
	top, lack := lacks(doc, "", "format", "name", "service", "models")
	for _, f := range (&Profile{}).figures() {
		if lack || top == nil {
			return name, pointer
		}
		value, has := top[f.name]
		if !has {
			return f.name, ""
		}
		figure, lack := lacks(value, "/"+f.name, "value", "source", "seen", "confidence")
		if lack {
			return name, pointer
		}
		elements := map[string][]string{"lifetimes": {"name", "seconds", "write"}, "invalidators": {"param", "region"}}[f.name]
		var list []jsontext.Value
		if elements == nil || json.Unmarshal(figure["value"], &list) != nil {
			continue
		}
		for i, element := range list {
			if _, lack := lacks(element, fmt.Sprintf("/%s/value/%d", f.name, i), elements...); lack {
				return name, pointer
			}
		}
	}
	return name, pointer
}

// profileError finds the value that a pointer names, or what is nearest to it.
func profileError(src []byte, pointer string, err error) error {
	at := len(src) - len(bytes.TrimLeft(src, " \t\r\n"))
	d := jsontext.NewDecoder(bytes.NewReader(src))
	for {
		before := int(d.InputOffset())
		if _, readErr := d.ReadToken(); readErr != nil {
			break
		}
		kind, length := d.StackIndex(d.StackDepth())
		isName := kind == '{' && length%2 == 1
		if !isName && string(d.StackPointer()) == pointer && pointer != "" {
			at = before + len(src[before:]) - len(bytes.TrimLeft(src[before:], " \t\r\n,:"))
			break
		}
	}
	line := 1 + bytes.Count(src[:at], []byte("\n"))
	start := bytes.LastIndexByte(src[:at], '\n') + 1
	return &ProfileError{line, 1 + utf8.RuneCount(src[start:at]), pointer, err}
}

// A condition is one thing that has to hold of a profile.
type condition struct {
	ok            bool
	pointer, want string
}

func (p *Profile) check() []condition {
	atLeast := func(n, low int64, name string) condition {
		return condition{n >= low, "/" + name + "/value", fmt.Sprintf("%d; want %d or more", n, low)}
	}
	conditions := []condition{
		{p.Format == ProfileFormat, "/format", fmt.Sprintf("format %q; this version reads %q", p.Format, ProfileFormat)},
		{p.Name != "", "/name", "want a name"},
		{p.Service != "", "/service", "want a name"},
		{slices.Contains(matchModels, p.MatchModel.Value), "/match_model/value",
			fmt.Sprintf("match model %q; want one of %v", p.MatchModel.Value, matchModels)},
		{isOrder(p.RenderOrder.Value), "/render_order/value", "want tools, system and messages, each once"},
		atLeast(p.MinTokens.Value, 0, "min_prefix_tokens"),
		atLeast(p.Quantum.Value, 1, "quantum_tokens"),
		atLeast(p.Markers.Value, 0, "max_markers"),
		atLeast(p.Implicit.Value, 0, "implicit_markers"),
		atLeast(p.Candidates.Value, 0, "read_candidates"),
		atLeast(p.Lookback.Value, 0, "lookback_blocks"),
		atLeast(p.LastComputed.Value, 0, "tokens_recomputed"),
		atLeast(p.Kept.Value, 0, "requests_kept"),
		{len(p.Lifetimes.Value) > 0, "/lifetimes/value", "want at least one lifetime"},
	}
	for i, l := range p.Lifetimes.Value {
		conditions = append(conditions, condition{l.Seconds >= 0 && l.Seconds <= 1<<31,
			fmt.Sprintf("/lifetimes/value/%d/seconds", i), "want seconds, 0 or more"})
	}
	for i, x := range p.Invalidators.Value {
		conditions = append(conditions, condition{x.Param != "" && p.rank(x.Region) >= 0,
			fmt.Sprintf("/invalidators/value/%d", i), "want a parameter and one of tools, system, messages"})
	}
	for _, f := range p.figures() {
		conditions = append(conditions,
			condition{slices.Contains(confidences, f.confidence), "/" + f.name + "/confidence",
				fmt.Sprintf("confidence %q; want one of %v", f.confidence, confidences)},
			condition{f.source != "" || f.confidence == Assumed, "/" + f.name + "/source",
				"only what is assumed has no source"},
			condition{isDay(f.seen), "/" + f.name + "/seen", fmt.Sprintf("%q; want a day as YYYY-MM-DD", f.seen)})
	}
	return conditions
}

func isOrder(order []Region) bool {
	return len(order) == 3 && slices.Contains(order, Tools) && slices.Contains(order, System) && slices.Contains(order, Messages)
}

// isDay reports whether a text has the form of a day; whether the calendar has it is not asked.
func isDay(text string) bool {
	if len(text) != len("2006-01-02") {
		return false
	}
	for i, c := range []byte(text) {
		if dash := i == 4 || i == 7; dash != (c == '-') || !dash && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
