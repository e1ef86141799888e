package replay

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/canonical"
	"github.com/quirehq/quire/internal/utf16order"
)

// A Record says how one composition came to be. It refers to everything by digest; with the objects it refers to, the
// composition can be made again, and compared.
//
// A record is an object itself: its canonical JSON ([Record.AppendJSON]) is stored under the digest of those bytes, so
// no bit of it can change unnoticed. Prev and Seq chain the records of a session: none can vanish unnoticed.
type Record struct {
	Session string
	Seq     int64              // 1, 2, 3 … within the session, in the order of recording
	Turn    int64              // the caller's number of the turn, at least 1, unique within the session
	Prev    fingerprint.Digest // the record before it in the session; zero for the first

	Kind        string             // the kind of the recipe: who compiles it
	Recipe      fingerprint.Key    // the recipe, an object
	Lowered     fingerprint.Digest // where a front end compiled: the composer's recipe of the same composition, an object; else zero
	Output      fingerprint.Digest // the emitted text, which is not stored: recipe, decisions and contents give it
	Bytes       int64              // its length
	Decisions   fingerprint.Digest // what became of each candidate, an object
	Breakpoints []composer.Prefix  // the cacheable prefixes

	Time     time.Time          // the caller's; the zero time is "not said"
	Labels   map[string]string  // model, provider … whatever the caller wants to find it by
	Usage    *Usage             // what the provider counted; nil: not said
	Response fingerprint.Digest // the raw response, an object; zero: none
	Redactor string             // the name of the redactor that went over the contents before they were stored; "": none
}

// A Usage is what a provider said that a request cost, in tokens.
type Usage struct {
	Input, Cached, Written, Output int64
}

// MaxSession is the greatest length of a session's name, in bytes: it stands in the indexes of every kind of store.
const MaxSession = 2048

// ErrRecord is what [ParseRecord] refuses.
var ErrRecord = errors.New("not a record")

// Sections returns the digest of the composer's recipe of the composition: Lowered, or, where the composer itself
// compiled, Recipe.
func (r Record) Sections() fingerprint.Digest {
	if r.Lowered.IsZero() {
		return fingerprint.Digest(r.Recipe)
	}
	return r.Lowered
}

// Digest returns the name under which the record is stored.
func (r Record) Digest() fingerprint.Digest { return fingerprint.Sum(r.AppendJSON(nil)) }

// Entry returns the record's place in the log.
func (r Record) Entry() Entry { return r.entry(r.Digest()) }

func (r Record) entry(name fingerprint.Digest) Entry {
	return Entry{Session: r.Session, Seq: r.Seq, Turn: r.Turn, Record: name, Key: r.Recipe, Output: r.Output}
}

// AppendJSON appends the canonical JSON (RFC 8785) of the record: every field present, every integer a decimal string,
// what is not said null, the time in UTC.
func (r Record) AppendJSON(dst []byte) []byte {
	w := canonical.Writer{Dst: dst}
	w.Raw(`{"breakpoints":[`)
	for i, p := range r.Breakpoints {
		w.Separate(i)
		w.Integer(`{"bytes":`, p.Bytes)
		w.DigestOrNull(`,"digest":`, p.Digest)
		w.Text(`,"id":`, p.ID)
		w.Integer(`,"size":`, p.Size)
		w.Raw(`}`)
	}
	w.Integer(`],"bytes":`, r.Bytes)
	w.DigestOrNull(`,"decisions":`, r.Decisions)
	w.Text(`,"kind":`, r.Kind)
	w.Raw(`,"labels":{`)
	for i, name := range r.labelNames() {
		w.Separate(i)
		w.Text(``, name)
		w.Text(`:`, r.Labels[name])
	}
	w.DigestOrNull(`},"lowered":`, r.Lowered)
	w.DigestOrNull(`,"output":`, r.Output)
	w.DigestOrNull(`,"prev":`, r.Prev)
	w.DigestOrNull(`,"recipe":`, fingerprint.Digest(r.Recipe))
	w.Text(`,"redactor":`, r.Redactor)
	w.DigestOrNull(`,"response":`, r.Response)
	w.Integer(`,"seq":`, r.Seq)
	w.Text(`,"session":`, r.Session)
	w.Raw(`,"time":`)
	if r.Time.IsZero() {
		w.Raw(`null`)
	} else {
		w.Text(``, r.Time.UTC().Format(time.RFC3339Nano))
	}
	w.Integer(`,"turn":`, r.Turn)
	w.Raw(`,"usage":`)
	if r.Usage == nil {
		w.Raw(`null}`)
		return w.Dst
	}
	w.Integer(`{"cached":`, r.Usage.Cached)
	w.Integer(`,"input":`, r.Usage.Input)
	w.Integer(`,"output":`, r.Usage.Output)
	w.Integer(`,"written":`, r.Usage.Written)
	w.Raw(`}}`)
	return w.Dst
}

func (r Record) labelNames() []string {
	if len(r.Labels) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Keys(r.Labels), utf16order.Compare)
}

// ParseRecord reads what [Record.AppendJSON] writes. Anything else, even the same record spelled otherwise, is refused with
// [ErrRecord].
func ParseRecord(src []byte) (r Record, err error) {
	p := canonical.NewReader(string(src), 0)
	for range p.Elements(`{"breakpoints":[`) {
		b := composer.Prefix{Breakpoint: true}
		b.Bytes = p.Integer(`{"bytes":`)
		b.Digest = p.DigestOrNull(`,"digest":`)
		b.ID = p.Text(`,"id":`)
		b.Size = p.Integer(`,"size":`)
		p.Raw(`}`)
		r.Breakpoints = append(r.Breakpoints, b)
	}
	r.Bytes = p.Integer(`],"bytes":`)
	r.Decisions = p.DigestOrNull(`,"decisions":`)
	r.Kind = p.Text(`,"kind":`)
	for range p.Elements(`,"labels":{`) {
		if r.Labels == nil {
			r.Labels = map[string]string{}
		}
		name := p.Text(``)
		r.Labels[name] = p.Text(`:`)
	}
	r.Lowered = p.DigestOrNull(`},"lowered":`)
	r.Output = p.DigestOrNull(`,"output":`)
	r.Prev = p.DigestOrNull(`,"prev":`)
	r.Recipe = fingerprint.Key(p.DigestOrNull(`,"recipe":`))
	r.Redactor = p.Text(`,"redactor":`)
	r.Response = p.DigestOrNull(`,"response":`)
	r.Seq = p.Integer(`,"seq":`)
	r.Session = p.Text(`,"session":`)
	p.Raw(`,"time":`)
	if !p.Skip(`null`) {
		r.Time = canonical.Parse(p, ``, func(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) })
	}
	r.Turn = p.Integer(`,"turn":`)
	p.Raw(`,"usage":`)
	if !p.Skip(`null}`) {
		r.Usage = &Usage{}
		r.Usage.Cached = p.Integer(`{"cached":`)
		r.Usage.Input = p.Integer(`,"input":`)
		r.Usage.Output = p.Integer(`,"output":`)
		r.Usage.Written = p.Integer(`,"written":`)
		p.Raw(`}}`)
	}
	p.End()
	p.RoundTrip(0, func(w *canonical.Writer) { w.Dst = r.AppendJSON(w.Dst) })
	if err = p.Err(); err == nil {
		err = r.check()
	}
	if err != nil {
		return Record{}, fmt.Errorf("replay: %w: %w", ErrRecord, err)
	}
	return r, nil
}

// check refuses what could not be found or encoded again.
func (r Record) check() error {
	for _, t := range [...]struct{ field, text string }{{"session", r.Session}, {"kind", r.Kind}, {"redactor", r.Redactor}} {
		if !utf8.ValidString(t.text) {
			return fmt.Errorf("%s %q: %w", t.field, t.text, fingerprint.ErrInvalidUTF8)
		}
	}
	for _, name := range r.labelNames() {
		if value := r.Labels[name]; !utf8.ValidString(name) {
			return fmt.Errorf("label %q: %w", name, fingerprint.ErrInvalidUTF8)
		} else if !utf8.ValidString(value) {
			return fmt.Errorf("label %q %q: %w", name, value, fingerprint.ErrInvalidUTF8)
		}
	}
	switch {
	case r.Session == "":
		return errors.New("empty session; want a name")
	case len(r.Session) > MaxSession:
		return fmt.Errorf("session of %d bytes; want at most %d", len(r.Session), MaxSession)
	case strings.ContainsRune(r.Session, 0):
		return fmt.Errorf("session %q: NUL byte", r.Session)
	case r.Seq < 1:
		return fmt.Errorf("seq %d; want 1 or more", r.Seq)
	case r.Turn < 1:
		return fmt.Errorf("turn %d; want 1 or more", r.Turn)
	case !r.Time.IsZero() && (r.Time.UTC().Year() < 1 || r.Time.UTC().Year() > 9999):
		return fmt.Errorf("time %v: want a year from 1 to 9999", r.Time)
	}
	return nil
}
