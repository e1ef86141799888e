package cachelab

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/fingerprint"
)

// A Region is a part of a request that a provider reads as a whole.
type Region string

// The regions. System holds the system prompt, and in formats that keep it among the messages, the system and developer
// messages that lead.
const (
	Tools    Region = "tools"
	System   Region = "system"
	Messages Region = "messages"
)

// A Piece is the least that a cache entry can end after: a tool, a block of the system prompt or of a message.
type Piece struct {
	Region Region
	Index  int    // of the tool, of the block of the system prompt, or of the message, from 0
	Block  int    // within the message, from 0
	Origin string // who it is from: a tool's name, a role, "result of NAME", the id of a section

	// Text is what the provider is taken to read of the piece: the definition of a tool as it was spelled, or the
	// canonical JSON of a block, after that of its message's header where the message begins. Markers are no part of it.
	Text   string
	Tokens int64 // estimated, >= 0

	Marked bool   // a cache marker stands on it
	TTL    string // the lifetime that the marker names; "": the service's default

	digest  fingerprint.Digest // of Text
	block   *messages.Block    // nil: not of a message
	shape   messages.Shape
	content string // what a person would read of it
}

// String returns the place of the piece as people count it in the body: tools[3], messages[4] block 2.
func (p Piece) String() string {
	at := fmt.Sprintf("%s[%d]", p.Region, p.Index)
	if p.Region == Messages && p.Block > 0 {
		at += fmt.Sprintf(" block %d", p.Block+1)
	}
	if p.Origin != "" {
		at += " (" + p.Origin + ")"
	}
	return at
}

// Blank reports whether there is nothing but white space to read in the piece.
func (p Piece) Blank() bool {
	media := p.block != nil && p.block.Kind != messages.KindText
	return !media && strings.Trim(p.content, " \t\r\n") == ""
}

// A Request is one model call as a cache sees it. The zero value is a call of nothing.
type Request struct {
	Model   string
	Thread  string            // the conversation it belongs to
	Pieces  []Piece           // tools, system, messages, each as in the body; a profile says in which order they are read
	Params  []messages.Member // all else that the body holds, in canonical JSON, by name
	Measure string            // the name of the measure that Tokens are in
}

// Tokens returns the estimated size of the request.
func (r Request) Tokens() (sum int64) {
	for i := range r.Pieces {
		sum += r.Pieces[i].Tokens
	}
	return sum
}

// Scale returns the request with its pieces' tokens scaled so that they add up to total, each rounded down and what is
// left given to the last ones. It brings an estimate to what a provider counted. A request without tokens stays.
func (r Request) Scale(total int64) Request {
	whole := r.Tokens()
	if whole == 0 || total < 0 {
		return r
	}
	r.Pieces = slices.Clone(r.Pieces)
	var sum, given int64
	for i := range r.Pieces {
		sum += r.Pieces[i].Tokens
		upTo := share(total, sum, whole)
		r.Pieces[i].Tokens = upTo - given
		given = upTo
	}
	return r
}

// param returns the canonical JSON of a parameter; "" when it is absent.
func (r Request) param(name string) messages.JSON {
	for _, m := range r.Params {
		if m.Name == name {
			return m.Value
		}
	}
	return ""
}

// A Reader makes requests of what other packages hold. It remembers what it has seen, since a session repeats itself.
// It is not safe for concurrent use. The zero value estimates by quarter tokens.
type Reader struct {
	Measure measure.Measure // counts tokens; the zero value counts quarter tokens, as [measure.QuarterTokens] does

	blocks map[blockKey]Piece
	tools  map[string]Piece
}

// A blockKey finds a block again that several requests share.
type blockKey struct {
	block *messages.Block
	role  messages.Role
	first bool
	names string // of the calls that its result could answer
}

func (r *Reader) measure() measure.Measure {
	if r.Measure.IsZero() {
		return measure.QuarterTokens()
	}
	return r.Measure
}

func (r *Reader) count(text string) int64 { return max(0, r.measure().Count(text)) }

// Call returns a recorded call or a request body that was read. The errors are about texts that are not UTF-8 and values
// that are not JSON, and name the place.
func (r *Reader) Call(c sessions.Call) (Request, error) {
	q := Request{Model: c.Model, Thread: c.Thread, Measure: r.measure().Name()}
	for i := range c.Tools {
		p, err := r.tool(&c.Tools[i], i)
		if err != nil {
			return Request{}, fmt.Errorf("cachelab: tool %d: %w", i+1, err)
		}
		q.Pieces = append(q.Pieces, p)
	}
	if c.System.Role != "" {
		for k := range c.System.Content {
			p, err := r.piece(&c.System, k, nil)
			if err != nil {
				return Request{}, fmt.Errorf("cachelab: system: %w", err)
			}
			p.Region, p.Index, p.Block = System, k, 0
			q.Pieces = append(q.Pieces, p)
		}
	}
	if err := r.conversation(&q, c.Messages); err != nil {
		return Request{}, err
	}
	for _, m := range c.Params {
		v, err := canonical(m.Value)
		if err != nil {
			return Request{}, fmt.Errorf("cachelab: parameter %q: %w", m.Name, err)
		}
		q.Params = append(q.Params, messages.Member{Name: m.Name, Value: messages.JSON(v)})
	}
	slices.SortStableFunc(q.Params, func(a, b messages.Member) int { return strings.Compare(a.Name, b.Name) })
	if v := q.param("cache_control"); v != "" && c.API == sessions.Anthropic && len(q.Pieces) > 0 {
		last := &q.Pieces[len(q.Pieces)-1] // the automatic marker stands on the last block
		last.Marked, last.TTL = true, ttlOf(v)
	}
	return q, nil
}

// Messages returns the request of an assembled prompt: its tools, and its messages, with a marker after every
// breakpoint of the assembly.
func (r *Reader) Messages(a messages.Assembly, tools []messages.ToolSpec, model string) (Request, error) {
	q, err := r.Call(sessions.Call{Model: model, Messages: a.Messages, Tools: tools})
	if err != nil {
		return Request{}, err
	}
	for i := range q.Pieces {
		q.Pieces[i].Marked, q.Pieces[i].TTL = false, ""
	}
	for i := range q.Pieces {
		p := &q.Pieces[i]
		last := i+1 == len(q.Pieces) || q.Pieces[i+1].Region != p.Region || q.Pieces[i+1].Index != p.Index
		if p.Region != Tools && last && a.Places[p.Index].Breakpoint {
			p.Marked = true
		}
	}
	return q, nil
}

// Composition returns the request of a composed system prompt: every included section is a piece of the system region,
// with the separator before it, and a marker after every breakpoint.
func (r *Reader) Composition(c composer.Composition) Request {
	q := Request{Measure: r.measure().Name()}
	marks := map[string]bool{}
	for _, m := range c.Marks() {
		marks[m.ID] = true
	}
	i, at := 0, int64(0)
	text := c.Text()
	for _, p := range c.Prefixes() {
		piece := Piece{Region: System, Index: i, Origin: "section " + p.ID, Text: text[at:p.Bytes], Marked: marks[p.ID]}
		piece.content = piece.Text
		r.finish(&piece, piece.content)
		q.Pieces = append(q.Pieces, piece)
		i, at = i+1, p.Bytes
	}
	return q
}

func (r *Reader) finish(p *Piece, counted string) {
	p.digest = fingerprint.SumString(p.Text)
	p.Tokens = r.count(counted)
}

// conversation adds messages. A result says which tool gave it, so the calls before it are kept by id.
func (r *Reader) conversation(q *Request, list []messages.Message) error {
	names := map[string]string{}
	region := System
	for i := range list {
		m := &list[i]
		if m.Role != messages.System && m.Role != messages.Developer {
			region = Messages
		}
		for k := range m.Content {
			if b := &m.Content[k]; b.Kind == messages.KindToolCall && b.ID != "" {
				names[b.ID] = b.Name
			}
		}
		for k := range max(1, len(m.Content)) {
			p, err := r.piece(m, k, names)
			if err != nil {
				return fmt.Errorf("cachelab: message %d: %w", i+1, err)
			}
			p.Region, p.Index, p.Block = region, i, k
			q.Pieces = append(q.Pieces, p)
		}
	}
	return nil
}

// piece renders block k of a message. A message without content is a piece of its header alone.
func (r *Reader) piece(m *messages.Message, k int, names map[string]string) (Piece, error) {
	key := blockKey{role: m.Role, first: k == 0}
	if k < len(m.Content) {
		key.block = &m.Content[k]
		if key.block.Kind == messages.KindToolResult {
			key.names = names[key.block.ID]
		}
		if p, ok := r.blocks[key]; ok && len(m.Extra) == 0 {
			p.shape = m.Shape
			return p, nil
		}
	}
	p := Piece{Origin: string(m.Role), shape: m.Shape}
	var text []byte
	var err error
	if k == 0 {
		header := messages.Message{Role: m.Role, Extra: m.Extra}
		if text, err = header.AppendJSON(text); err != nil {
			return Piece{}, err
		}
	}
	if b := key.block; b != nil {
		p.block = b
		if text, err = r.render(text, &p, key.names); err != nil {
			return Piece{}, err
		}
	}
	p.Text = string(text)
	r.finish(&p, p.content)
	if r.blocks == nil {
		r.blocks = map[blockKey]Piece{}
	}
	if key.block != nil && len(m.Extra) == 0 {
		r.blocks[key] = p
	}
	return p, nil
}

// render appends the canonical JSON of the block of p, takes the markers off, and sets what is said of it.
func (r *Reader) render(text []byte, p *Piece, tool string) ([]byte, error) {
	b := *p.block
	if b.Cache != "" {
		p.Marked, p.TTL = true, ttlOf(b.Cache)
	}
	b.Extra = slices.DeleteFunc(slices.Clone(b.Extra), func(x messages.Member) bool {
		if strings.TrimPrefix(x.Name, "openai:") != "prompt_cache_breakpoint" {
			return false
		}
		p.Marked = true
		return true
	})
	one := messages.Message{Content: []messages.Block{b}}
	var err error
	if p.content, err = one.Text(); err != nil {
		return nil, err
	}
	switch b.Kind {
	case messages.KindToolCall:
		p.Origin += ": call of " + b.Name
		p.content = b.Name + " " + p.content
		// The provider shows the model the arguments as they were spelled, members in that order.
		spelled := jsontext.Value(b.Value)
		if b.Value != "" && spelled.Compact() == nil {
			b.Value = ""
			one.Content[0] = b
			if text, err = appendBlock(text, one); err != nil {
				return nil, err
			}
			return append(text, spelled...), nil
		}
	case messages.KindToolResult:
		if b.Text != "" && b.Value == "" {
			p.content = b.Text // as it is, not as the JSON string that the published estimate counts
		}
		p.Origin += ": result"
		if tool != "" {
			p.Origin += " of " + tool
		}
	case messages.KindText:
	default:
		p.Origin += ": " + string(b.Kind)
	}
	one.Content[0] = b
	return appendBlock(text, one)
}

// appendBlock appends the canonical JSON of the only block of a message.
func appendBlock(text []byte, one messages.Message) ([]byte, error) {
	const open, end = `{"content":[`, `],"role":""}`
	whole, err := one.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	return append(text, whole[len(open):len(whole)-len(end)]...), nil
}

// tool renders a tool as it was spelled, without white space between and without its marker.
func (r *Reader) tool(t *messages.ToolSpec, i int) (Piece, error) {
	key := string(t.Definition) + "\x00" + t.Name
	p, ok := r.tools[key]
	if !ok {
		p = Piece{Region: Tools, Origin: t.Name}
		definition := jsontext.Value(t.Definition)
		if t.Definition == "" {
			definition = fingerprint.AppendJSONString(nil, t.Name+": "+t.Description)
		}
		if err := definition.Compact(); err != nil {
			return Piece{}, err
		}
		text, marker, err := withoutMember(definition, "cache_control")
		if err != nil {
			return Piece{}, err
		}
		if marker != "" {
			p.Marked, p.TTL = true, ttlOf(marker)
		}
		p.Text, p.content = text, text
		r.finish(&p, text)
		if r.tools == nil {
			r.tools = map[string]Piece{}
		}
		r.tools[key] = p
	}
	p.Index = i
	return p, nil
}

// withoutMember returns an object without the member, and that member's value.
func withoutMember(object jsontext.Value, name string) (string, messages.JSON, error) {
	if object.Kind() != '{' || !strings.Contains(string(object), name) {
		return string(object), "", nil
	}
	d := jsontext.NewDecoder(strings.NewReader(string(object)))
	if _, err := d.ReadToken(); err != nil {
		return "", "", err
	}
	var found messages.JSON
	out := []byte("{")
	for d.PeekKind() != '}' {
		key, err := d.ReadValue()
		if err != nil {
			return "", "", err
		}
		key = slices.Clone(key)
		value, err := d.ReadValue()
		if err != nil {
			return "", "", err
		}
		if string(key) == `"`+name+`"` {
			found = messages.JSON(value)
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), value...)
	}
	return string(append(out, '}')), found, nil
}

// ttlOf reads the lifetime that a marker names.
func ttlOf(marker messages.JSON) string {
	d := jsontext.NewDecoder(strings.NewReader(string(marker)))
	for depth := 0; ; {
		t, err := d.ReadToken()
		if err != nil {
			return ""
		}
		switch t.Kind() {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			if depth == 1 && t.String() == "ttl" {
				if t, err = d.ReadToken(); err == nil && t.Kind() == '"' {
					return t.String()
				}
			}
		}
	}
}

func canonical(v messages.JSON) (string, error) {
	value := jsontext.Value(v)
	err := value.Canonicalize(jsontext.CanonicalizeRawInts(false))
	return string(value), err
}
