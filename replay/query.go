package replay

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/quirehq/quire/fingerprint"
)

// A Query selects records. The zero value selects all.
type Query struct {
	Session      string
	From, To     int64     // Seq, both included; 0: from the first, to the last
	Since, Until time.Time // the records' own times, Until excluded; a record without a time is in neither
	Labels       map[string]string
	Shard        Shard
}

// A Shard is one of several parts into which sessions are divided, by the digests of their names. The zero value is all.
type Shard struct{ Index, Count int } // 1 <= Index <= Count

// ParseShard reads "2/16".
func ParseShard(text string) (Shard, error) {
	index, count, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || i < 1 || i > n {
		return Shard{}, fmt.Errorf("replay: shard %q; want INDEX/COUNT, like 2/16", text)
	}
	return Shard{i, n}, nil
}

func (s Shard) holds(session string) bool {
	if s.Count <= 1 {
		return true
	}
	d := fingerprint.SumString(session)
	n := uint64(d[0])<<24 | uint64(d[1])<<16 | uint64(d[2])<<8 | uint64(d[3])
	return int(n%uint64(s.Count)) == s.Index-1
}

// holds reports whether a record of a session that is selected is selected itself.
func (q Query) holds(r Record) bool {
	if !q.Since.IsZero() && (r.Time.IsZero() || r.Time.Before(q.Since)) || !q.Until.IsZero() && (r.Time.IsZero() || !r.Time.Before(q.Until)) {
		return false
	}
	for name, value := range maps.All(q.Labels) { // all must hold, in any order
		if got, there := r.Labels[name]; !there || got != value {
			return false
		}
	}
	return true
}

// Records yields the records that a query selects, session by session in byte order, then by Seq. A session that the
// query names and the store does not have is [ErrNotFound].
func (r *Reader) Records(ctx context.Context, q Query) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for e, err := range r.entries(ctx, q) {
			var rec Record
			if err == nil {
				rec, err = r.Record(ctx, e)
			}
			if err == nil && !q.holds(rec) {
				continue
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// entries yields the entries of a query's sessions and range.
func (r *Reader) entries(ctx context.Context, q Query) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if q.Session != "" {
			known := false
			for _, err := range r.store.Heads(ctx, q.Session) {
				if err != nil {
					yield(Entry{}, err)
					return
				}
				known = true
			}
			if !known {
				yield(Entry{}, fmt.Errorf("replay: session %q: %w", q.Session, ErrNotFound))
				return
			}
		}
		for e, err := range r.store.Entries(ctx, Span{Session: q.Session, From: q.From, To: q.To}) {
			if err == nil && !q.Shard.holds(e.Session) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Turn returns the record of a session's turn.
func (r *Reader) Turn(ctx context.Context, session string, turn int64) (Record, error) {
	for e, err := range r.store.Entries(ctx, Span{Session: session, Turn: turn}) {
		if err != nil {
			return Record{}, err
		}
		return r.Record(ctx, e)
	}
	return Record{}, fmt.Errorf("replay: %s@%d: %w", session, turn, ErrNotFound)
}

// What [Reader.Find] refuses.
var (
	ErrAmbiguous = errors.New("ambiguous prefix") // several objects begin so
	ErrPrefix    = errors.New("not a digest")
)

// MinPrefix is the least number of hex digits that [Reader.Find] takes.
const MinPrefix = 6

// Find returns the one name in the store that begins with the given hex digits.
func (r *Reader) Find(ctx context.Context, prefix string) (fingerprint.Digest, error) {
	if len(prefix) < MinPrefix || len(prefix) > 2*digestLength {
		return fingerprint.Digest{}, fmt.Errorf("replay: %w: %q; want %d to %d hex digits", ErrPrefix, prefix, MinPrefix, 2*digestLength)
	}
	var bounds [2]fingerprint.Digest
	for i, fill := range []string{"0", "f"} {
		raw, err := hex.DecodeString(prefix + strings.Repeat(fill, 2*digestLength-len(prefix)))
		if err != nil || prefix != strings.ToLower(prefix) {
			return fingerprint.Digest{}, fmt.Errorf("replay: %w: %q; want lower-case hex digits", ErrPrefix, prefix)
		}
		bounds[i] = fingerprint.Digest(raw)
	}
	var names []fingerprint.Digest
	for s, err := range r.store.Names(ctx, bounds[0], bounds[1]) {
		if err != nil {
			return fingerprint.Digest{}, err
		}
		if names = append(names, s.Name); len(names) == 2 {
			return fingerprint.Digest{}, fmt.Errorf("replay: %w: %s begins %s and %s", ErrAmbiguous, prefix, names[0], names[1])
		}
	}
	if len(names) == 0 {
		return fingerprint.Digest{}, fmt.Errorf("replay: object %s: %w", prefix, ErrNotFound)
	}
	return names[0], nil
}
