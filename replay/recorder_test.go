package replay_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/tiers"
)

func sections(texts ...string) []composer.Section {
	var list []composer.Section
	for i, text := range texts {
		list = append(list, composer.Section{ID: fmt.Sprint("section ", i), Content: text})
	}
	return list
}

func TestRecordTwice(t *testing.T) {
	store := new(replay.Memory)
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	c := mustCompose(t, sections("a", "b"), composer.Config{})
	first := mustRecord(t, rec, c, replay.Turn{Number: 5, Time: noon})
	again := mustRecord(t, replay.NewRecorder(store, replay.Session{ID: "s"}), c, replay.Turn{Number: 5, Time: noon.Add(time.Hour)})
	if again.Digest() != first.Digest() {
		t.Errorf("recorded again: %+v; want what was recorded first, %+v", again, first)
	}
	for field, change := range map[string]func() (composer.Composition, replay.Turn){ // in any order: none is stored
		"recipe": func() (composer.Composition, replay.Turn) {
			return mustCompose(t, sections("a", "c"), composer.Config{}), replay.Turn{Number: 5}
		},
		"response": func() (composer.Composition, replay.Turn) {
			return c, replay.Turn{Number: 5, Response: []byte("answer")}
		},
	} {
		given, turn := change()
		_, err := rec.Record(t.Context(), given, turn)
		var other *replay.TurnError
		if !errors.As(err, &other) || other.Field != field || !strings.Contains(err.Error(), first.Output.String()) || !strings.Contains(err.Error(), given.Fingerprint().String()) {
			t.Errorf("another %s: %v", field, err)
		}
	}
	next := mustRecord(t, rec, c, replay.Turn{})
	if next.Seq != 2 || next.Turn != 6 || next.Prev != first.Digest() {
		t.Errorf("the next record is %+v", next)
	}
	for name, test := range map[string]struct {
		session string
		turn    int64
	}{"turn": {"s", -1}, "session": {"", 1}, "NUL": {"a\x00b", 1}, "long": {strings.Repeat("a", replay.MaxSession+1), 1}, "UTF-8": {"\xff", 1}} { // in any order
		if _, err := replay.NewRecorder(store, replay.Session{ID: test.session}).Record(t.Context(), c, replay.Turn{Number: test.turn}); err == nil {
			t.Errorf("%s: no error", name)
		} else if errors.Is(err, fingerprint.ErrInvalidUTF8) != (name == "UTF-8") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := count(t, store); n != 2 {
		t.Errorf("%d records; want 2", n)
	}
}

// Behind the largest turn there is no next one; it does not wrap around to one below zero.
func TestNoTurnBehindTheLargest(t *testing.T) {
	store := new(replay.Memory)
	c := mustCompose(t, sections("a"), composer.Config{})
	mustRecord(t, replay.NewRecorder(store, replay.Session{ID: "s"}), c, replay.Turn{Number: math.MaxInt64, Time: noon})
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	if got, err := rec.Record(t.Context(), c, replay.Turn{Time: noon}); err == nil || !strings.Contains(err.Error(), "no next turn") {
		t.Errorf("recorded as turn %d, error %v; want one that says there is no next turn", got.Turn, err)
	}
	mustRecord(t, rec, c, replay.Turn{Number: 7, Time: noon})
	if n := count(t, store); n != 2 {
		t.Errorf("%d records; want 2", n)
	}
}

func count(t testing.TB, store replay.Store) (n int) {
	for _, err := range store.Entries(t.Context(), replay.Span{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// Turns may come out of order and from many recorders; the next number is then one that is free.
func TestRecordersOfOneSession(t *testing.T) {
	store := new(replay.Memory)
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			rec := replay.NewRecorder(store, replay.Session{ID: "s"})
			for i := range 20 {
				turn := replay.Turn{}
				if w%2 == 0 {
					turn.Number = int64(1_000_000 - 1000*w - i) // the next free number is never one of another
				}
				c, err := composer.Compose(sections(fmt.Sprint(w), fmt.Sprint(i)), composer.Config{})
				if err == nil {
					_, err = rec.Record(t.Context(), c, turn)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{})
	if err != nil || report.Verified != 160 || !report.OK() {
		t.Errorf("%v, %v", report, err)
	}
}

// A front end that is not deterministic is found out when it records, and both records are kept.
func TestNondeterminism(t *testing.T) {
	store := new(replay.Memory)
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	front := func(text string) composer.Compilation {
		return composer.Compilation{Composition: mustCompose(t, sections(text), composer.Config{}), Kind: "coin", Recipe: []byte(`{"kind":"coin","version":"1"}`)}
	}
	for i, text := range []string{"heads", "heads", "tails"} {
		r, err := rec.RecordCompilation(t.Context(), front(text), replay.Turn{})
		var finding *replay.NondeterminismError
		if found := errors.As(err, &finding); found != (i == 2) || err != nil && !found {
			t.Fatalf("%s: %v", text, err)
		}
		if finding != nil && (finding.Before.Output != digestOf("heads") || finding.After.Output != digestOf("tails") || finding.Key != r.Recipe) {
			t.Errorf("%v", finding)
		}
	}
	if n := count(t, store); n != 3 {
		t.Errorf("%d records; want 3", n)
	}
	// Verification tells which of them is not what the front end gives now.
	coin := func([]byte, func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
		return composer.Compose(sections("heads"), composer.Config{})
	}
	var diverged []*replay.Divergence
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{Compilers: map[string]replay.Compiler{"coin": coin},
		Each: func(o replay.Outcome) {
			if o.Divergence != nil {
				diverged = append(diverged, o.Divergence)
			}
		}})
	if err != nil || report.Verified != 2 || len(diverged) != 1 {
		t.Fatalf("%v, %v", report, err)
	}
	if d := diverged[0]; d.Turn != 3 || d.Cause != "content_changed" || d.Section != "section 0" || d.At != 0 || d.Want != "tails" || d.Got != "heads" {
		t.Errorf("%+v", d)
	}
}

// A recipe is stored with its kind, or the composer's own is made: a front end's kind without a recipe, or the other way
// round, is a mistake.
func TestRecordCompilationWithoutAFrontEnd(t *testing.T) {
	store := new(replay.Memory)
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	c := composer.Compilation{Composition: mustCompose(t, sections("a"), composer.Config{})}
	r, err := rec.RecordCompilation(t.Context(), c, replay.Turn{Number: 1})
	if err != nil || r.Kind != composer.KindComposer || r.Recipe != c.Composition.Recipe().Key() || !r.Lowered.IsZero() {
		t.Errorf("%+v, %v", r, err)
	}
	for _, half := range []composer.Compilation{
		{Kind: "coin"},
		{Recipe: []byte("{}")},
		{Kind: composer.KindComposer, Recipe: c.Composition.Recipe().AppendJSON(nil)},
		{Kind: composer.KindComposer},
		{Kind: "coin", Recipe: []byte{}},
	} {
		half.Composition = c.Composition
		want := fmt.Sprintf("replay: compilation of kind %q with a recipe of %d bytes; want a front end's kind and recipe, or neither", half.Kind, len(half.Recipe))
		if _, err := rec.RecordCompilation(t.Context(), half, replay.Turn{}); err == nil || err.Error() != want {
			t.Errorf("error %v; want %s", err, want)
		}
	}
	c.Kind, c.Recipe = "coin\xff", []byte("{}")
	if _, err := rec.RecordCompilation(t.Context(), c, replay.Turn{}); !errors.Is(err, fingerprint.ErrInvalidUTF8) {
		t.Errorf("error %v of a kind that is no text", err)
	}
	if n := count(t, store); n != 1 {
		t.Errorf("%d records; want 1", n)
	}
}

// An object that a recorder believes to be there is stored again when it was cleaned away meanwhile.
func TestRecordAfterClean(t *testing.T) {
	store := new(replay.Memory)
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	long := strings.Repeat("a long text ", 5000)
	c := mustCompose(t, sections(long, "x"), composer.Config{})
	mustRecord(t, rec, c, replay.Turn{Time: noon})
	cleaned, err := replay.Clean(t.Context(), store, noon.Add(time.Hour), false)
	if err != nil || cleaned.Records != 1 {
		t.Fatalf("%+v, %v", cleaned, err)
	}
	if got := mustRecord(t, rec, c, replay.Turn{Time: noon}); got.Seq != 1 {
		t.Errorf("seq %d in a session that was cleaned away; want 1", got.Seq)
	}
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{})
	if err != nil || report.Verified != 1 || !report.OK() {
		t.Errorf("%v, %v", report, err)
	}
}

// What a redactor takes out is never stored; the same sections are in, and records of equal redacted forms have one key.
func TestRedaction(t *testing.T) {
	const secret = "token-0123456789"
	store := new(replay.Memory)
	redactor := replay.Redactor{Name: "tokens", Redact: func(_, content string) string {
		var b strings.Builder
		for i := 0; i < len(content); {
			if strings.HasPrefix(content[i:], "token-") {
				b.WriteString("[token]")
				i = min(len(content), i+len(secret))
				continue
			}
			b.WriteByte(content[i])
			i++
		}
		return b.String()
	}}
	compose := func(secret string) composer.Composition {
		return mustCompose(t, []composer.Section{
			{ID: "header", Content: "auth: " + secret},
			{ID: "body", Content: "the body says " + secret + " too", Tier: tiers.Active, Alternates: []string{"short " + secret}},
			{ID: "rest", Content: "the rest", Tier: tiers.Informational},
		}, composer.Config{Budget: tiers.Limit(50), Gate: tiers.Reserved})
	}
	rec := replay.NewRecorder(store, replay.Session{ID: "s", Redactor: redactor})
	one := mustRecord(t, rec, compose(secret), replay.Turn{Response: []byte(`{"echo":"` + secret + `"}`)})
	two := mustRecord(t, rec, compose("token-9876543210"), replay.Turn{})
	if one.Redactor != "tokens" || one.Recipe != two.Recipe || one.Output != two.Output {
		t.Errorf("%+v\n%+v\nwant one key and output", one, two)
	}
	reader := replay.NewReader(store)
	text, err := reader.Text(t.Context(), one)
	if err != nil || text != "auth: [token]\n\nshort [token]" {
		t.Errorf("%q, %v", text, err)
	}
	var last fingerprint.Digest
	for i := range last {
		last[i] = 0xff
	}
	for s := range store.Names(t.Context(), fingerprint.Digest{}, last) {
		if content, err := reader.Content(t.Context(), s.Name); err != nil || strings.Contains(content, "token-") {
			t.Errorf("stored: %q, %v", content, err)
		}
	}
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{})
	if err != nil || report.Verified != 2 {
		t.Errorf("%v, %v", report, err)
	}
}

func TestPlayer(t *testing.T) {
	store := new(replay.Memory)
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	k := mustCompose(t, sections("k"), composer.Config{})
	other := mustCompose(t, sections("other"), composer.Config{})
	mustRecord(t, rec, k, replay.Turn{Response: []byte("A")})
	mustRecord(t, rec, other, replay.Turn{Response: []byte{}})
	mustRecord(t, rec, k, replay.Turn{Response: []byte("B")})
	mustRecord(t, rec, k, replay.Turn{})
	player, err := replay.NewPlayer(t.Context(), store, "s")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"A", "B"} {
		if got, err := player.Next(t.Context(), k.Fingerprint()); err != nil || string(got) != want {
			t.Errorf("answer %d: %q, %v; want %q", i+1, got, err, want)
		}
	}
	if got, err := player.Next(t.Context(), other.Fingerprint()); err != nil || len(got) != 0 {
		t.Errorf("an empty response: %q, %v", got, err)
	}
	for _, request := range []fingerprint.Digest{k.Fingerprint(), other.Fingerprint(), digestOf("never")} {
		if got, err := player.Next(t.Context(), request); !errors.Is(err, replay.ErrNotFound) {
			t.Errorf("asked once more than recorded: %q, %v", got, err)
		}
	}
	if _, err := replay.NewPlayer(t.Context(), store, "nobody"); !errors.Is(err, replay.ErrNotFound) {
		t.Errorf("no such session: %v", err)
	}
}
