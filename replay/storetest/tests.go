package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// object makes an object of a text. What a driver stores need not be what the name says: it does not look.
func object(text string) replay.Object {
	return replay.Object{Name: fingerprint.SumString(text), Size: int64(len(text)), Data: []byte(text)}
}

// entry makes the entry of a session's seq; the turn is ten times that.
func entry(session string, seq int64) replay.Entry {
	id := fmt.Sprint(session, "/", seq)
	return replay.Entry{Session: session, Seq: seq, Turn: 10 * seq, Record: fingerprint.SumString(id),
		Key: fingerprint.Frame("key", id), Output: fingerprint.SumString("output " + id)}
}

func open(t *testing.T, place Place, tenant string) replay.Store {
	t.Helper()
	s, err := place(tenant)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func collect[T any](t *testing.T, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var all []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

// contents is everything a store shows.
type contents struct {
	Objects []replay.Object
	Stored  []replay.Stored
	Heads   []replay.Head
	Entries []replay.Entry
}

func everything(t *testing.T, s replay.Store) (c contents) {
	t.Helper()
	c.Stored = collect(t, s.Names(t.Context(), fingerprint.Digest{}, last))
	var names []fingerprint.Digest
	for _, stored := range c.Stored {
		names = append(names, stored.Name)
	}
	var err error
	if c.Objects, err = s.Objects(t.Context(), names); err != nil {
		t.Fatal(err)
	}
	c.Heads = collect(t, s.Heads(t.Context(), ""))
	c.Entries = collect(t, s.Entries(t.Context(), replay.Span{}))
	return c
}

var last = fingerprint.Digest(bytes.Repeat([]byte{0xff}, 32))

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return // cmp walks every byte of every digest to find that nothing differs
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: error %v; want %v", what, got, want)
	}
}

// epoch is the one that a writer would learn now.
func epoch(t *testing.T, s replay.Store) int64 {
	t.Helper()
	_, epoch, err := s.Missing(t.Context(), nil)
	must(t, err)
	return epoch
}

func testEmpty(t *testing.T, place Place) {
	s := open(t, place, "a")
	same(t, "a new store", everything(t, s), contents{})
	a := object("a").Name
	missing, _, err := s.Missing(t.Context(), []fingerprint.Digest{a, last, a})
	must(t, err)
	same(t, "missing", missing, []fingerprint.Digest{a, last, a})
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s)}))
	same(t, "after an empty batch", everything(t, s), contents{})
	must(t, s.Delete(t.Context(), replay.Deletion{}))
	same(t, "heads of an unknown session", collect(t, s.Heads(t.Context(), "nobody")), nil)
}

func testAppend(t *testing.T, place Place) {
	s := open(t, place, "a")
	big := replay.Object{Name: fingerprint.SumString("big"), Form: replay.Zstd, Size: 1 << 40, Data: bytes.Repeat([]byte("\x00\xffbig"), 300_000)}
	odd := replay.Object{Name: last, Form: replay.Pieces, Size: 7, Data: []byte{0}}
	empty := replay.Object{Name: fingerprint.Digest{}, Data: []byte{}}
	batch := replay.Batch{Epoch: epoch(t, s), Objects: []replay.Object{big, odd, empty, object("x")},
		Entries: []replay.Entry{entry("s", 1), entry("s", 2), entry("ä", 7), entry("t", 1)}}
	must(t, s.Append(t.Context(), batch))
	got, err := s.Objects(t.Context(), []fingerprint.Digest{odd.Name, big.Name, fingerprint.SumString("none"), empty.Name})
	must(t, err)
	for i := range got {
		if len(got[i].Data) == 0 {
			got[i].Data = []byte{}
		}
	}
	same(t, "objects", got, []replay.Object{odd, big, empty})
	same(t, "entries", collect(t, s.Entries(t.Context(), replay.Span{})), []replay.Entry{entry("s", 1), entry("s", 2), entry("t", 1), entry("ä", 7)})
	same(t, "heads", collect(t, s.Heads(t.Context(), "")), []replay.Head{
		{Session: "s", First: 1, Last: 2, Record: entry("s", 2).Record},
		{Session: "t", First: 1, Last: 1, Record: entry("t", 1).Record},
		{Session: "ä", First: 7, Last: 7, Record: entry("ä", 7).Record}})

	// An object that is there stays as it is.
	changed := object("x")
	changed.Data = []byte("other")
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Objects: []replay.Object{changed, changed}}))
	got, err = s.Objects(t.Context(), []fingerprint.Digest{changed.Name})
	must(t, err)
	same(t, "the object that was there", got, []replay.Object{object("x")})
}

func testConflict(t *testing.T, place Place) {
	s := open(t, place, "a")
	twice := entry("s", 2)
	twice.Turn = entry("s", 1).Turn
	err := s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s) + 1, Entries: []replay.Entry{entry("s", 1), twice}})
	wantError(t, "stale, and a turn twice, in a new tenant", err, replay.ErrStale)
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Entries: []replay.Entry{entry("s", 3), entry("s", 4)}}))
	before := everything(t, s)
	sameTurn := entry("s", 5)
	sameTurn.Turn = 30
	for name, entries := range map[string][]replay.Entry{ // any order: none of them changes the store
		"a gap":            {entry("s", 6)},
		"seq again":        {entry("s", 4)},
		"seq before":       {entry("s", 2)},
		"turn again":       {sameTurn},
		"second is wrong":  {entry("s", 5), entry("s", 7)},
		"another is wrong": {entry("new", 1), entry("s", 9)},
		"gap when new":     {entry("new", 1), entry("new", 3)},
		"seq 0 when new":   {entry("new", 0)},
	} {
		err := s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Objects: []replay.Object{object(name)}, Entries: entries})
		wantError(t, name, err, replay.ErrConflict)
	}
	same(t, "after refused batches", everything(t, s), before)
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Entries: []replay.Entry{entry("s", 5)}}))
}

func testStale(t *testing.T, place Place) {
	s := open(t, place, "a")
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Objects: []replay.Object{object("kept"), object("gone")}, Entries: []replay.Entry{entry("s", 1)}}))
	old := epoch(t, s)
	heads := collect(t, s.Heads(t.Context(), ""))
	must(t, s.Delete(t.Context(), replay.Deletion{Heads: heads, Objects: []fingerprint.Digest{object("gone").Name}}))
	if now := epoch(t, s); now == old {
		t.Errorf("epoch is still %d after a deletion", now)
	}
	before := everything(t, s)
	wantError(t, "append of an old epoch", s.Append(t.Context(), replay.Batch{Epoch: old, Objects: []replay.Object{object("new")}, Entries: []replay.Entry{entry("s", 2)}}), replay.ErrStale)
	same(t, "after a stale batch", everything(t, s), before)

	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Entries: []replay.Entry{entry("s", 2)}}))
	wantError(t, "a session moved on", s.Delete(t.Context(), replay.Deletion{Heads: heads, Through: map[string]int64{"s": 2}}), replay.ErrStale)
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Entries: []replay.Entry{entry("t", 1)}}))
	heads = collect(t, s.Heads(t.Context(), "s"))
	wantError(t, "a session came", s.Delete(t.Context(), replay.Deletion{Heads: heads}), replay.ErrStale)
	wantError(t, "no sessions given", s.Delete(t.Context(), replay.Deletion{}), replay.ErrStale)
	same(t, "entries", len(collect(t, s.Entries(t.Context(), replay.Span{}))), 3)
}

func testObjects(t *testing.T, place Place) {
	s := open(t, place, "a")
	var objects []replay.Object
	var names []fingerprint.Digest
	for i := range 3000 {
		o := object(fmt.Sprintf("object %d %s", i, bytes.Repeat([]byte{byte(i)}, i%700)))
		objects = append(objects, o)
		names = append(names, o.Name)
	}
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Objects: objects}))
	got, err := s.Objects(t.Context(), names)
	must(t, err)
	same(t, "objects", got, objects)
	missing, _, err := s.Missing(t.Context(), slices.Concat(names[:10], []fingerprint.Digest{last}, names[10:]))
	must(t, err)
	same(t, "missing", missing, []fingerprint.Digest{last})
}

func testNames(t *testing.T, place Place) {
	s := open(t, place, "a")
	var batch replay.Batch
	for i := range 1500 { // more than a page of any driver
		batch.Objects = append(batch.Objects, object(fmt.Sprint(i)))
	}
	batch.Epoch = epoch(t, s)
	must(t, s.Append(t.Context(), batch))
	var want []replay.Stored
	for _, o := range batch.Objects {
		want = append(want, replay.Stored{Name: o.Name, Form: o.Form, Size: o.Size, Bytes: int64(len(o.Data))})
	}
	slices.SortFunc(want, func(a, b replay.Stored) int { return bytes.Compare(a.Name[:], b.Name[:]) })
	same(t, "all", collect(t, s.Names(t.Context(), fingerprint.Digest{}, last)), want)
	same(t, "one", collect(t, s.Names(t.Context(), want[7].Name, want[7].Name)), want[7:8])
	same(t, "some", collect(t, s.Names(t.Context(), want[7].Name, want[1200].Name)), want[7:1201])
	same(t, "backwards", collect(t, s.Names(t.Context(), want[8].Name, want[7].Name)), nil)
	n := 0
	for range s.Names(t.Context(), fingerprint.Digest{}, last) {
		if n++; n == 3 {
			break // leaving early must not block what follows
		}
	}
	same(t, "after leaving early", len(collect(t, s.Names(t.Context(), fingerprint.Digest{}, last))), 1500)
}

func testEntries(t *testing.T, place Place) {
	s := open(t, place, "a")
	batch := replay.Batch{Epoch: epoch(t, s)}
	for seq := range int64(1200) {
		batch.Entries = append(batch.Entries, entry("long", seq+1), entry("a\"'%_", seq+1))
	}
	twin := entry("z", 1)
	twin.Key, twin.Output = entry("long", 600).Key, entry("long", 600).Output
	batch.Entries = append(batch.Entries, twin)
	must(t, s.Append(t.Context(), batch))
	var long, other []replay.Entry
	for seq := range int64(1200) {
		long, other = append(long, entry("long", seq+1)), append(other, entry("a\"'%_", seq+1))
	}
	for _, test := range []struct {
		name string
		span replay.Span
		want []replay.Entry
	}{
		{"all", replay.Span{}, slices.Concat(other, long, []replay.Entry{twin})},
		{"session", replay.Span{Session: "long"}, long},
		{"no session", replay.Span{Session: "lon"}, nil},
		{"from", replay.Span{Session: "long", From: 1100}, long[1099:]},
		{"to", replay.Span{Session: "long", To: 3}, long[:3]},
		{"to, in all", replay.Span{To: 1}, []replay.Entry{other[0], long[0], twin}},
		{"turn", replay.Span{Session: "long", Turn: 50}, long[4:5]},
		{"turn, in all", replay.Span{Turn: 50}, []replay.Entry{other[4], long[4]}},
		{"key", replay.Span{Key: twin.Key}, []replay.Entry{long[599], twin}},
		{"key in a session", replay.Span{Session: "z", Key: twin.Key}, []replay.Entry{twin}},
		{"output", replay.Span{Output: twin.Output}, []replay.Entry{long[599], twin}},
		{"key that is an output", replay.Span{Key: fingerprint.Key(twin.Output)}, nil},
	} {
		same(t, test.name, collect(t, s.Entries(t.Context(), test.span)), test.want)
	}
	for range s.Entries(t.Context(), replay.Span{}) {
		break
	}
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Entries: []replay.Entry{entry("z", 2)}}))
	for e, err := range s.Entries(t.Context(), replay.Span{Session: "long"}) { // writing while reading
		must(t, err)
		if e.Seq == 1 {
			must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Entries: []replay.Entry{entry("z", 3)}}))
		}
	}
}

func testDelete(t *testing.T, place Place) {
	s := open(t, place, "a")
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Objects: []replay.Object{object("1"), object("2"), object("3")},
		Entries: []replay.Entry{entry("s", 1), entry("s", 2), entry("s", 3), entry("t", 1), entry("u", 1)}}))
	heads := collect(t, s.Heads(t.Context(), ""))
	must(t, s.Delete(t.Context(), replay.Deletion{Heads: heads, Through: map[string]int64{"s": 2, "t": 9, "none": 4},
		Objects: []fingerprint.Digest{object("2").Name, object("never").Name}}))
	c := everything(t, s)
	same(t, "entries", c.Entries, []replay.Entry{entry("s", 3), entry("u", 1)})
	same(t, "heads", c.Heads, []replay.Head{
		{Session: "s", First: 3, Last: 3, Record: entry("s", 3).Record},
		{Session: "u", First: 1, Last: 1, Record: entry("u", 1).Record}})
	same(t, "objects", len(c.Objects), 2)
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Objects: []replay.Object{object("2")}, Entries: []replay.Entry{entry("s", 4), entry("t", 1)}}))
	missing, _, err := s.Missing(t.Context(), []fingerprint.Digest{object("2").Name})
	must(t, err)
	same(t, "missing", missing, nil)
}

func testReopen(t *testing.T, place Place) {
	s := open(t, place, "a")
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Objects: []replay.Object{object("1")}, Entries: []replay.Entry{entry("s", 1)}}))
	want := everything(t, s)
	same(t, "a second store of the place", everything(t, open(t, place, "a")), want)
	must(t, s.Close())
	same(t, "after closing", everything(t, open(t, place, "a")), want)
}

func testTenants(t *testing.T, place Place) {
	a, b := open(t, place, "a"), open(t, place, "b")
	shared := []replay.Object{object("both have it"), object("and this")}
	must(t, a.Append(t.Context(), replay.Batch{Epoch: epoch(t, a), Objects: shared, Entries: []replay.Entry{entry("s", 1), entry("s", 2)}}))
	same(t, "the other tenant", everything(t, b), contents{})

	names := []fingerprint.Digest{shared[0].Name, shared[1].Name}
	objects, err := b.Objects(t.Context(), names)
	must(t, err)
	same(t, "Objects", len(objects), 0)
	missing, _, err := b.Missing(t.Context(), names)
	must(t, err)
	same(t, "Missing", missing, names)
	for _, span := range []replay.Span{{Session: "s"}, {Key: entry("s", 1).Key}, {Output: entry("s", 1).Output}, {Turn: 10}} {
		same(t, fmt.Sprintf("Entries %+v", span), collect(t, b.Entries(t.Context(), span)), nil)
	}
	same(t, "Heads", collect(t, b.Heads(t.Context(), "s")), nil)

	// The same names and numbers of another tenant are in nobody's way, and neither sees the other's data under them.
	other := shared[0]
	other.Data = []byte("b's own")
	must(t, b.Append(t.Context(), replay.Batch{Epoch: epoch(t, b), Objects: []replay.Object{other}, Entries: []replay.Entry{entry("s", 1)}}))
	objects, err = b.Objects(t.Context(), names)
	must(t, err)
	same(t, "b's object", objects, []replay.Object{other})
	objects, err = a.Objects(t.Context(), names)
	must(t, err)
	same(t, "a's objects", objects, shared)

	before, epochA := everything(t, a), epoch(t, a)
	must(t, b.Delete(t.Context(), replay.Deletion{Heads: collect(t, b.Heads(t.Context(), "")), Through: map[string]int64{"s": 2}, Objects: names}))
	same(t, "a after b's deletion", everything(t, a), before)
	same(t, "a's epoch after b's deletion", epoch(t, a), epochA)
	same(t, "b after its deletion", everything(t, b), contents{})
	same(t, "a third tenant", everything(t, open(t, place, "")), contents{})
}

func testCanceled(t *testing.T, place Place) {
	s := open(t, place, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.Append(ctx, replay.Batch{Epoch: epoch(t, s), Objects: []replay.Object{object("1")}, Entries: []replay.Entry{entry("s", 1)}})
	wantError(t, "Append", err, context.Canceled)
	same(t, "after a canceled batch", everything(t, s), contents{})
	must(t, s.Append(t.Context(), replay.Batch{Epoch: epoch(t, s), Objects: []replay.Object{object("1")}, Entries: []replay.Entry{entry("s", 1)}}))
	wantError(t, "Delete", s.Delete(ctx, replay.Deletion{Heads: collect(t, s.Heads(t.Context(), ""))}), context.Canceled)
	for _, err := range s.Entries(ctx, replay.Span{}) {
		wantError(t, "Entries", err, context.Canceled)
	}
	same(t, "entries", len(collect(t, s.Entries(t.Context(), replay.Span{}))), 1)
}

// testManyWriters has eight connections write sessions of their own, sharing objects.
func testManyWriters(t *testing.T, place Place) {
	const writers, turns = 8, 25
	var group sync.WaitGroup
	for w := range writers {
		s := open(t, place, "a")
		group.Go(func() {
			session := fmt.Sprint("session ", w)
			for seq := int64(1); seq <= turns; seq++ {
				_, epoch, err := s.Missing(t.Context(), nil)
				if err == nil {
					err = s.Append(t.Context(), replay.Batch{Epoch: epoch,
						Objects: []replay.Object{object("shared"), object(fmt.Sprint("shared ", seq)), object(fmt.Sprint(session, seq))},
						Entries: []replay.Entry{entry(session, seq)}})
				}
				if err != nil {
					t.Errorf("%s, seq %d: %v", session, seq, err)
					return
				}
			}
		})
	}
	group.Wait()
	c := everything(t, open(t, place, "a"))
	var want []replay.Entry
	for w := range writers {
		for seq := range int64(turns) {
			want = append(want, entry(fmt.Sprint("session ", w), seq+1))
		}
	}
	same(t, "entries", c.Entries, want)
	same(t, "objects", len(c.Objects), 1+turns+writers*turns)
}

// testOneSession has eight connections write one session: each seq is won by one of them, and the others are told.
func testOneSession(t *testing.T, place Place) {
	const writers, seqs = 8, 30
	won := make([]int, writers)
	var group sync.WaitGroup
	for w := range writers {
		s := open(t, place, "a")
		group.Go(func() {
			for seq := int64(1); seq <= seqs; seq++ {
				e := entry("s", seq)
				e.Record = fingerprint.SumString(fmt.Sprint(w, seq))
				_, epoch, err := s.Missing(t.Context(), nil)
				if err == nil {
					err = s.Append(t.Context(), replay.Batch{Epoch: epoch, Entries: []replay.Entry{e}})
				}
				if err == nil {
					won[w]++
				} else if !errors.Is(err, replay.ErrConflict) {
					t.Errorf("writer %d, seq %d: %v", w, seq, err)
					return
				}
			}
		})
	}
	group.Wait()
	entries := collect(t, open(t, place, "a").Entries(t.Context(), replay.Span{}))
	sum := 0
	for _, n := range won {
		sum += n
	}
	if len(entries) != seqs || sum != seqs {
		t.Errorf("%d entries, %d acknowledged; want %d", len(entries), sum, seqs)
	}
}
