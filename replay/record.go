package replay

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
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

// MaxSession is the length of a session's name at most, in bytes: it stands in the indexes of every kind of store.
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
	w := jsonWriter{dst}
	w.raw(`{"breakpoints":[`)
	for i, p := range r.Breakpoints {
		if i > 0 {
			w.raw(`,`)
		}
		w.integer(`{"bytes":`, p.Bytes)
		w.digest(`,"digest":`, p.Digest)
		w.text(`,"id":`, p.ID)
		w.integer(`,"size":`, p.Size)
		w.raw(`}`)
	}
	w.integer(`],"bytes":`, r.Bytes)
	w.digest(`,"decisions":`, r.Decisions)
	w.text(`,"kind":`, r.Kind)
	w.raw(`,"labels":{`)
	for i, name := range slices.SortedFunc(maps.Keys(r.Labels), compareUTF16) {
		if i > 0 {
			w.raw(`,`)
		}
		w.text(``, name)
		w.text(`:`, r.Labels[name])
	}
	w.digest(`},"lowered":`, r.Lowered)
	w.digest(`,"output":`, r.Output)
	w.digest(`,"prev":`, r.Prev)
	w.digest(`,"recipe":`, fingerprint.Digest(r.Recipe))
	w.text(`,"redactor":`, r.Redactor)
	w.digest(`,"response":`, r.Response)
	w.integer(`,"seq":`, r.Seq)
	w.text(`,"session":`, r.Session)
	w.raw(`,"time":`)
	if r.Time.IsZero() {
		w.raw(`null`)
	} else {
		w.text(``, r.Time.UTC().Format(time.RFC3339Nano))
	}
	w.integer(`,"turn":`, r.Turn)
	w.raw(`,"usage":`)
	if r.Usage == nil {
		w.raw(`null}`)
		return w.dst
	}
	w.integer(`{"cached":`, r.Usage.Cached)
	w.integer(`,"input":`, r.Usage.Input)
	w.integer(`,"output":`, r.Usage.Output)
	w.integer(`,"written":`, r.Usage.Written)
	w.raw(`}}`)
	return w.dst
}

// compareUTF16 is the order of names in RFC 8785: by UTF-16 code units. It differs from the order of the bytes only
// between U+E000..U+FFFF and what lies above.
func compareUTF16(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if x, y := a[i], b[i]; x != y {
			if x >= 0xf0 && y >= 0xee && y < 0xf0 {
				return -1
			}
			if y >= 0xf0 && x >= 0xee && x < 0xf0 {
				return 1
			}
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// ParseRecord reads what [Record.AppendJSON] writes. Anything else, also the same said in another way, is refused with
// [ErrRecord].
func ParseRecord(src []byte) (Record, error) {
	var raw struct {
		Breakpoints []struct {
			Bytes  int64              `json:"bytes,string"`
			Digest fingerprint.Digest `json:"digest"`
			ID     string             `json:"id"`
			Size   int64              `json:"size,string"`
		} `json:"breakpoints"`
		Bytes     int64               `json:"bytes,string"`
		Decisions fingerprint.Digest  `json:"decisions"`
		Kind      string              `json:"kind"`
		Labels    map[string]string   `json:"labels"`
		Lowered   *fingerprint.Digest `json:"lowered"`
		Output    fingerprint.Digest  `json:"output"`
		Prev      *fingerprint.Digest `json:"prev"`
		Recipe    fingerprint.Key     `json:"recipe"`
		Redactor  string              `json:"redactor"`
		Response  *fingerprint.Digest `json:"response"`
		Seq       int64               `json:"seq,string"`
		Session   string              `json:"session"`
		Time      *time.Time          `json:"time"`
		Turn      int64               `json:"turn,string"`
		Usage     *struct {
			Cached  int64 `json:"cached,string"`
			Input   int64 `json:"input,string"`
			Output  int64 `json:"output,string"`
			Written int64 `json:"written,string"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(src, &raw, json.RejectUnknownMembers(true)); err != nil {
		return Record{}, fmt.Errorf("replay: %w: %w", ErrRecord, err)
	}
	r := Record{
		Session: raw.Session, Seq: raw.Seq, Turn: raw.Turn, Kind: raw.Kind, Recipe: raw.Recipe, Output: raw.Output,
		Bytes: raw.Bytes, Decisions: raw.Decisions, Redactor: raw.Redactor,
	}
	if len(raw.Labels) > 0 {
		r.Labels = raw.Labels
	}
	if raw.Prev != nil {
		r.Prev = *raw.Prev
	}
	if raw.Lowered != nil {
		r.Lowered = *raw.Lowered
	}
	if raw.Response != nil {
		r.Response = *raw.Response
	}
	if raw.Time != nil {
		r.Time = *raw.Time
	}
	for _, p := range raw.Breakpoints {
		r.Breakpoints = append(r.Breakpoints, composer.Prefix{ID: p.ID, Digest: p.Digest, Bytes: p.Bytes, Size: p.Size, Breakpoint: true})
	}
	if u := raw.Usage; u != nil {
		r.Usage = &Usage{Input: u.Input, Cached: u.Cached, Written: u.Written, Output: u.Output}
	}
	if err := r.check(); err != nil {
		return Record{}, fmt.Errorf("replay: %w: %w", ErrRecord, err)
	}
	if again := r.AppendJSON(nil); string(again) != string(src) {
		at := commonPrefix(string(again), string(src))
		return Record{}, fmt.Errorf("replay: %w: byte %d: want the canonical form, %.40q here", ErrRecord, at, again[at:])
	}
	return r, nil
}

// check refuses what could not be found or encoded again.
func (r Record) check() error {
	texts := []struct{ field, text string }{{"session", r.Session}, {"kind", r.Kind}, {"redactor", r.Redactor}}
	for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
		texts = append(texts, struct{ field, text string }{"label", name}, struct{ field, text string }{"label " + strconv.Quote(name), r.Labels[name]})
	}
	for _, t := range texts {
		if !utf8.ValidString(t.text) {
			return fmt.Errorf("%s %q: invalid UTF-8", t.field, t.text)
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

// commonPrefix returns how many bytes two texts begin with in common.
func commonPrefix[T string | []byte](a, b T) int {
	n := min(len(a), len(b))
	const block = 256 // compared at once, in the runtime's assembly
	i := 0
	for ; i+block <= n && string(a[i:i+block]) == string(b[i:i+block]); i += block {
	}
	for ; i < n && a[i] == b[i]; i++ {
	}
	return i
}

// A jsonWriter appends fields of canonical JSON: the punctuation and name before a value, then the value.
type jsonWriter struct{ dst []byte }

func (w *jsonWriter) raw(s string) { w.dst = append(w.dst, s...) }

func (w *jsonWriter) text(before, s string) {
	w.raw(before)
	w.dst = fingerprint.AppendJSONString(w.dst, s)
}

func (w *jsonWriter) integer(before string, n int64) {
	w.raw(before)
	w.dst = append(strconv.AppendInt(append(w.dst, '"'), n, 10), '"')
}

// digest writes the zero digest, which names nothing, as null.
func (w *jsonWriter) digest(before string, d fingerprint.Digest) {
	w.raw(before)
	if d.IsZero() {
		w.raw(`null`)
		return
	}
	w.dst = append(w.dst, '"')
	w.dst, _ = d.AppendText(w.dst) // the error is always nil
	w.dst = append(w.dst, '"')
}
