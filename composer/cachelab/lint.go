package cachelab

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What [Lint] finds beside what looks volatile in a text (see [Clock] and the codes that follow it), and beside
// [MarkerLimit], [TTLOrder] and [BelowMinimum].
const (
	Varies            Code = "varies"             // the text does differ from one request of a series to the next, by such a value alone
	ToolsUnsorted     Code = "tools_unsorted"     // the tools are not in the order of their names
	ToolsVary         Code = "tools_vary"         // the same tools in another order, in the next request
	BlankMarked       Code = "blank_marked"       // a marker on a block of white space
	VolatileMarked    Code = "volatile_marked"    // a marker on a block with a volatile value: what it writes nothing will read
	NothingMarked     Code = "nothing_marked"     // the service needs markers, and there is none
	AffinityVaries    Code = "affinity_varies"    // the key that chooses the machine changes within one conversation
	RetentionConflict Code = "retention_conflict" // two ways at once to say how long entries live
	FarApart          Code = "far_apart"          // more pieces from one marker to the next than are looked back over
)

// A Finding says what will cost cache.
type Finding struct {
	Code    Code   `json:"code"`
	Section string `json:"section"` // where, without numbers that change: tools, system, messages, or the id of a section
	Place   string `json:"place"`   // where, exactly: see [Piece.String]
	Excerpt string `json:"excerpt,omitzero"`
	Remedy  string `json:"remedy"`
	Request int    `json:"request"` // of a series, from 0
}

// String returns the finding in one line, without the remedy.
func (f Finding) String() string {
	if f.Excerpt == "" {
		return fmt.Sprintf("%s: %s", f.Place, f.Code)
	}
	return fmt.Sprintf("%s: %s: %q", f.Place, f.Code, f.Excerpt)
}

// A Silence leaves findings out: those of the code, in the section. An empty field stands for any.
type Silence struct {
	Code    Code   `json:"code,omitzero"`
	Section string `json:"section,omitzero"`
}

// ParseSilence reads CODE, CODE@SECTION or @SECTION.
func ParseSilence(text string) (Silence, error) {
	code, section, _ := strings.Cut(text, "@")
	if code != "" {
		if _, ok := remedies[Code(code)]; !ok {
			return Silence{}, fmt.Errorf("cachelab: silence %q: no such code as %q; want one of %s", text, code, strings.Join(codeNames(), ", "))
		}
	} else if section == "" {
		return Silence{}, fmt.Errorf("cachelab: silence %q: want CODE, CODE@SECTION or @SECTION", text)
	}
	return Silence{Code(code), section}, nil
}

// codeNames lists what can be silenced, sorted.
func codeNames() []string {
	var names []string
	for _, code := range slices.Sorted(maps.Keys(remedies)) {
		names = append(names, string(code))
	}
	return names
}

func (s Silence) covers(f Finding) bool {
	return (s.Code == "" || s.Code == f.Code) && (s.Section == "" || s.Section == f.Section)
}

// remedies say what to do about each code.
var remedies = map[Code]string{
	Clock:             "pass the time as a value behind the last breakpoint, or in the user's message",
	Date:              "put the day behind the last breakpoint: it changes at midnight",
	UUID:              "keep identifiers out of the prompt; a request's metadata is no part of what is cached",
	Hex:               "keep digests and commits out of the stable part, or put them behind the last breakpoint",
	Counter:           "say that something was left out without saying how much: the number changes with every turn",
	Path:              "say the path relative to the project: another user or machine has another one",
	Pointer:           "print the value, not its address: it is another one in each process",
	ID:                "keep generated identifiers out of the stable part",
	Varies:            "it does change from one request to the next: move it behind the last breakpoint",
	ToolsUnsorted:     "sort tools by name, so that the order in which they were registered does not matter",
	ToolsVary:         "sort tools by name before each request",
	BlankMarked:       "put the marker on the block before: services refuse or ignore a marker on nothing",
	VolatileMarked:    "split the block, and put the marker before what changes: what is written here is never read",
	NothingMarked:     "set a marker behind the system prompt and one behind the last message",
	AffinityVaries:    "derive the key from the stable part of the prompt and the tenant, not from the request",
	RetentionConflict: "send one of the two",
	FarApart:          "set one more marker on the way, about every 15 blocks",
	MarkerLimit:       "drop the markers in the middle; keep the first and the last ones",
	TTLOrder:          "put longer lifetimes before shorter ones",
	BelowMinimum:      "nothing is cached up to this marker; move it behind more text, or drop it",
}

// Lint returns what in the requests of a series will cost cache, under a profile, in the order of requests and places; the
// same in a later request is not repeated. Nil requests have none, and so has a clean prompt.
//
// What looks volatile is looked for in the stable part: the tools and the system prompt, up to the last marker there, if
// there is one. What stands in the messages was written once and stays, whatever it looks like; only a count of what was
// left out is looked for there. Requests of one thread, one after the other, are compared: what differs only by such a
// value, or in the order of the tools, is proven to vary.
func Lint(series []Request, p Profile, silences ...Silence) []Finding {
	l := linter{profile: &p, silences: silences, said: map[string]bool{}, last: map[string]int{}}
	for i := range series {
		l.request = i
		q := p.line(&series[i])
		l.texts(&q)
		l.tools(&q)
		l.markers(&q)
		l.params(&series[i])
		if k, ok := l.last[series[i].Thread]; ok {
			l.compare(&series[k], &series[i])
		}
		l.last[series[i].Thread] = i
	}
	return l.found
}

type linter struct {
	profile  *Profile
	silences []Silence
	request  int
	last     map[string]int // the latest request of each thread
	said     map[string]bool
	found    []Finding
}

func (l *linter) add(code Code, p *Piece, place, excerpt string) {
	f := Finding{Code: code, Section: "request", Place: place, Excerpt: excerpt, Remedy: remedies[code], Request: l.request}
	if p != nil {
		f.Section, f.Place = string(p.Region), p.String()
		if id, ok := strings.CutPrefix(p.Origin, "section "); ok {
			f.Section = id
		}
	}
	key := string(f.Code) + "\x00" + f.Place + "\x00" + f.Excerpt
	if l.said[key] || slices.ContainsFunc(l.silences, func(s Silence) bool { return s.covers(f) }) {
		return
	}
	l.said[key] = true
	l.found = append(l.found, f)
}

// texts looks for volatile values in the stable part, and for counts of what was left out before the last message.
func (l *linter) texts(q *line) {
	end := 0
	marked := false
	for i := range q.stops {
		if q.stops[i].piece.Region == Messages {
			break
		}
		if q.stops[i].marked {
			end, marked = i+1, true
		} else if !marked {
			end = i + 1
		}
	}
	for i := range q.stops {
		p := q.stops[i].piece
		if i >= end && p.Region != Messages {
			continue
		}
		sure := false
		for _, s := range volatileSpans(p.content) {
			if !s.sure || p.Region == Messages && !l.counts(p, s) {
				continue
			}
			l.add(s.code, p, "", excerpt(p.content, s))
			sure = true
		}
		if sure && q.stops[i].marked && p.Region != Messages {
			l.add(VolatileMarked, p, "", "")
		}
	}
}

// counts reports whether a span of a message is a counter in what a program wrote: a short message of the user's or the
// system's that is a notice and nothing else.
func (l *linter) counts(p *Piece, s span) bool {
	return s.code == Counter && len(p.content) <= 200 && p.block != nil && p.block.Kind == "text" && !isAssistant(p)
}

// excerpt returns the span with a few words around it.
func excerpt(text string, s span) string {
	from := max(0, s.from-24)
	if i := strings.LastIndexByte(text[from:s.from], '\n'); i >= 0 {
		from += i + 1
	}
	to := min(len(text), max(s.to, s.from+48))
	if i := strings.IndexByte(text[s.to:to], '\n'); i >= 0 {
		to = s.to + i
	}
	for from < s.from && text[from]&0xC0 == 0x80 {
		from++
	}
	for to > s.to && to < len(text) && text[to]&0xC0 == 0x80 {
		to--
	}
	return shorten(text[from:to])
}

// tools finds the first tool that is out of order.
func (l *linter) tools(q *line) {
	var before *Piece
	for i := range q.stops {
		p := q.stops[i].piece
		if p.Region != Tools {
			continue
		}
		if before != nil && p.Origin < before.Origin {
			l.add(ToolsUnsorted, p, "", fmt.Sprintf("%s behind %s", p.Origin, before.Origin))
			return
		}
		before = p
	}
}

func (l *linter) markers(q *line) {
	p := l.profile
	for _, c := range refusals(q, p) {
		l.add(c.Code, nil, c.Place, c.Note)
	}
	if !p.MatchModel.Value.marked() {
		return
	}
	last, count := -1, 0
	for i := range q.stops {
		s := &q.stops[i]
		if !s.marked {
			continue
		}
		count++
		if s.piece.Blank() {
			l.add(BlankMarked, s.piece, "", "")
		}
		if s.tokens < p.MinTokens.Value && (i < len(q.stops)-1 || p.Implicit.Value == 0) {
			l.add(BelowMinimum, s.piece, "", fmt.Sprintf("%d tokens, estimated; %d are the least", s.tokens, p.MinTokens.Value))
		}
		if back := p.Lookback.Value; back > 0 && last >= 0 && int64(i-last) > back && s.piece.Region == Messages &&
			q.stops[last].piece.Region == Messages {
			l.add(FarApart, s.piece, "", fmt.Sprintf("%d pieces behind the marker before it", i-last))
		}
		last = i
	}
	if count == 0 && q.total >= p.MinTokens.Value && len(q.stops) > 0 {
		l.add(NothingMarked, nil, "request", "")
	}
}

func (l *linter) params(r *Request) {
	if r.param("prompt_cache_retention") != "" && r.param("prompt_cache_options") != "" {
		l.add(RetentionConflict, nil, "parameter prompt_cache_retention", "prompt_cache_options is set as well")
	}
}

// compare finds what varies from one request of a thread to the next.
func (l *linter) compare(a, b *Request) {
	if name := l.profile.AffinityParam.Value; name != "" && a.param(name) != b.param(name) {
		l.add(AffinityVaries, nil, "parameter "+name, shorten(absent(string(b.param(name)))))
	}
	for _, region := range []Region{Tools, System} {
		d := differ{a: a.region(region), b: b.region(region), region: region}
		for _, c := range d.changes() {
			switch c.Code {
			case ToolsReordered:
				l.vary(ToolsVary, region, c)
			case VolatileValue, GeneratedID, EOLOnly, UnicodeForm, TrailingNewline:
				l.vary(Varies, region, c)
			}
		}
	}
}

func (l *linter) vary(code Code, region Region, c Change) {
	f := Finding{Code: code, Section: string(region), Place: c.Place, Excerpt: c.B, Remedy: remedies[code], Request: l.request}
	key := string(code) + "\x00" + c.Place
	if l.said[key] || slices.ContainsFunc(l.silences, func(s Silence) bool { return s.covers(f) }) {
		return
	}
	l.said[key] = true
	l.found = append(l.found, f)
}
