package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/tiers"
)

// A tampered is a store that shows other objects, entries and heads than it was given.
type tampered struct {
	replay.Store
	object func(*replay.Object) bool // false: not there
	entry  func(*replay.Entry) bool
	head   func(*replay.Head) bool
}

func (s tampered) Objects(ctx context.Context, names []fingerprint.Digest) ([]replay.Object, error) {
	objects, err := s.Store.Objects(ctx, names)
	if s.object == nil {
		return objects, err
	}
	kept := objects[:0]
	for _, o := range objects {
		o.Data = bytes.Clone(o.Data)
		if s.object(&o) {
			kept = append(kept, o)
		}
	}
	return kept, err
}

func filter[T any](seq iter.Seq2[T, error], change func(*T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for v, err := range seq {
			if err == nil && change != nil && !change(&v) {
				continue
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

func (s tampered) Entries(ctx context.Context, span replay.Span) iter.Seq2[replay.Entry, error] {
	return filter(s.Store.Entries(ctx, span), s.entry)
}

func (s tampered) Heads(ctx context.Context, session string) iter.Seq2[replay.Head, error] {
	return filter(s.Store.Heads(ctx, session), s.head)
}

func verify(t *testing.T, store replay.Store, opts replay.Options) (replay.Report, []*replay.Divergence) {
	t.Helper()
	var all []*replay.Divergence
	opts.Each = func(o replay.Outcome) {
		if o.Divergence != nil {
			all = append(all, o.Divergence)
		}
	}
	report, err := replay.Verify(t.Context(), store, replay.Query{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return report, all
}

// Whatever is wrong with a store is told of the record it hurts, and neither passed over nor taken for something else.
func TestVerifyOfDamage(t *testing.T) {
	store := new(replay.Memory)
	big := strings.Repeat("a big content, in many pieces ", 2000)
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	records := []replay.Record{
		mustRecord(t, rec, mustCompose(t, sections("first", big), composer.Config{}), replay.Turn{}),
		mustRecord(t, rec, mustCompose(t, sections("first", "second"), composer.Config{}), replay.Turn{}),
		mustRecord(t, rec, mustCompose(t, sections("first", "third"), composer.Config{}), replay.Turn{}),
	}
	name := func(d fingerprint.Digest) func(*replay.Object) bool {
		return func(o *replay.Object) bool { return o.Name == d }
	}
	gone := func(is func(*replay.Object) bool) tampered {
		return tampered{Store: store, object: func(o *replay.Object) bool { return !is(o) }}
	}
	changed := func(is func(*replay.Object) bool, change func(*replay.Object)) tampered {
		return tampered{Store: store, object: func(o *replay.Object) bool {
			if is(o) {
				change(o)
			}
			return true
		}}
	}
	flip := func(o *replay.Object) { o.Data[len(o.Data)/2] ^= 4 }
	aPiece := func(o *replay.Object) bool { return o.Size > 2000 && o.Form != replay.Pieces }
	aList := func(o *replay.Object) bool { return o.Form == replay.Pieces }
	entry := func(seq int64, change func(*replay.Entry) bool) tampered {
		return tampered{Store: store, entry: func(e *replay.Entry) bool { return e.Seq != seq || change(e) }}
	}
	for _, test := range []struct {
		name    string
		store   replay.Store
		turns   string // that are told
		cause   replay.Cause
		section string
	}{
		{"a content is gone", gone(name(digestOf("second"))), "2", replay.InputMissing, "section 1"},
		{"a shared content is gone", gone(name(digestOf("first"))), "1 2 3", replay.InputMissing, "section 0"},
		{"a content has a flipped bit", changed(name(digestOf("second")), flip), "2", replay.Corrupt, "section 1"},
		{"a content is another's", changed(name(digestOf("second")), func(o *replay.Object) { o.Data = []byte("thirdx") }), "2", replay.Corrupt, "section 1"},
		{"a size is wrong", changed(name(digestOf("second")), func(o *replay.Object) { o.Size++ }), "2", replay.Corrupt, "section 1"},
		{"a size is absurd", changed(name(digestOf("second")), func(o *replay.Object) { o.Size = 1 << 60 }), "2", replay.Corrupt, "section 1"},
		{"a form is unknown", changed(name(digestOf("second")), func(o *replay.Object) { o.Form = 77 }), "2", replay.Corrupt, "section 1"},
		{"a form is wrong", changed(name(digestOf("second")), func(o *replay.Object) { o.Form = replay.Zstd }), "2", replay.Corrupt, "section 1"},
		{"a piece is gone", gone(aPiece), "1", replay.InputMissing, "section 1"},
		{"a piece has a flipped bit", changed(aPiece, flip), "1", replay.Corrupt, "section 1"},
		{"a list has a flipped bit", changed(aList, flip), "1", replay.InputMissing, "section 1"},
		{"a list is short", changed(aList, func(o *replay.Object) { o.Data = o.Data[:len(o.Data)-1] }), "1", replay.Corrupt, "section 1"},
		{"a list claims too much", changed(aList, func(o *replay.Object) { o.Size = 1 << 50 }), "1", replay.Corrupt, "section 1"},
		{"a recipe is gone", gone(name(fingerprint.Digest(records[1].Recipe))), "2", replay.InputMissing, ""},
		{"a recipe has a flipped bit", changed(name(fingerprint.Digest(records[1].Recipe)), flip), "2", replay.Corrupt, ""},
		{"decisions are gone", gone(name(records[1].Decisions)), "1 2 3", replay.InputMissing, ""},
		{"decisions have a flipped bit", changed(name(records[1].Decisions), flip), "1 2 3", replay.Corrupt, ""},
		{"a record is gone", gone(name(records[1].Digest())), "2", replay.InputMissing, ""},
		{"a record has a flipped bit", changed(name(records[1].Digest()), flip), "2", replay.Corrupt, ""},
		{"an entry is gone", entry(2, func(*replay.Entry) bool { return false }), "seq 2", replay.Corrupt, ""},
		{"the first entry is gone", entry(1, func(*replay.Entry) bool { return false }), "seq 1", replay.Corrupt, ""},
		{"the last entry is gone", entry(3, func(*replay.Entry) bool { return false }), "seq 3", replay.Corrupt, ""},
		{"an entry has another turn", entry(2, func(e *replay.Entry) bool { e.Turn = 7; return true }), "7", replay.Corrupt, ""},
		{"an entry has another output", entry(2, func(e *replay.Entry) bool { e.Output = digestOf("x"); return true }), "2", replay.Corrupt, ""},
		{"an entry names the record before", entry(2, func(e *replay.Entry) bool { e.Record = records[0].Digest(); return true }), "2 3", replay.Corrupt, ""},
		{"a head names another record", tampered{Store: store, head: func(h *replay.Head) bool { h.Record = digestOf("x"); return true }}, "seq 3", replay.Corrupt, ""},
		{"a head is ahead", tampered{Store: store, head: func(h *replay.Head) bool { h.Last++; return true }}, "seq 4", replay.Corrupt, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			report, all := verify(t, test.store, replay.Options{Jobs: 2})
			var turns []string
			for _, d := range all {
				if d.Turn == 0 {
					turns = append(turns, fmt.Sprint("seq ", d.Seq))
				} else {
					turns = append(turns, fmt.Sprint(d.Turn))
				}
				if d.Cause != test.cause || d.Section != test.section || d.Err == nil {
					t.Errorf("%+v\n%v; want %s, section %q", d, d, test.cause, test.section)
				}
			}
			if got := strings.Join(turns, " "); got != test.turns {
				t.Errorf("told of %s; want %s", got, test.turns)
			}
			if n := int64(len(all)); report.OK() || report.Missing+report.Corrupt != n {
				t.Errorf("%v with %d told", report, n)
			}
			// Whoever checks the store instead is told as well, and nothing is cleaned away that may be needed.
			checked, err := replay.Check(t.Context(), test.store, replay.CheckOptions{})
			if err != nil || checked.Damaged == 0 {
				t.Errorf("Check: %+v, %v", checked, err)
			}
		})
	}
	if report, all := verify(t, store, replay.Options{}); !report.OK() || report.Verified != 3 {
		t.Errorf("untouched: %v, %v", report, all)
	}
}

func TestVerifyOfSessionsThatAreNotThere(t *testing.T) {
	store := new(replay.Memory)
	if _, err := replay.Verify(t.Context(), store, replay.Query{Session: "nobody"}, replay.Options{}); !errors.Is(err, replay.ErrNotFound) {
		t.Errorf("no such session: %v", err)
	}
	recordGrowing(t, store, "s", 2)
	headless := tampered{Store: store, head: func(*replay.Head) bool { return false }}
	var corrupt *replay.CorruptError
	if _, err := replay.Verify(t.Context(), headless, replay.Query{Session: "s"}, replay.Options{}); !errors.As(err, &corrupt) {
		t.Errorf("a session that lost its head: %v", err)
	}
	if checked, err := replay.Check(t.Context(), headless, replay.CheckOptions{}); err != nil || checked.Damaged == 0 {
		t.Errorf("a session that lost its head: %+v, %v", checked, err)
	}
	late := tampered{Store: store, head: func(h *replay.Head) bool { h.First = 2; return true }}
	if checked, err := replay.Check(t.Context(), late, replay.CheckOptions{}); err != nil || checked.Damaged != 1 {
		t.Errorf("a head that passes over an entry: %+v, %v", checked, err)
	}
}

// A recipe that this build does not compile is told as such.
func TestVerifyOfOtherCompilers(t *testing.T) {
	store := new(replay.Memory)
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	lowered := mustCompose(t, sections("a", "b"), composer.Config{})
	for i := range 4 {
		kind := []string{"unheard-of", "old", "moody", "fine"}[i]
		recipe := []byte(fmt.Sprintf(`{"input":"%s","kind":"%s","version":"1"}`, digestOf("a"), kind))
		if _, err := rec.RecordCompilation(t.Context(), composer.Compilation{Composition: lowered, Kind: kind, Recipe: recipe, Inputs: []string{"a"}}, replay.Turn{}); err != nil {
			t.Fatal(err)
		}
	}
	of := func(cfg composer.Config, texts ...string) replay.Compiler {
		return func(recipe []byte, load func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
			if a, err := load(digestOf("a")); err != nil || a != "a" {
				return composer.Composition{}, fmt.Errorf("input: %q, %v", a, err)
			}
			return composer.Compose(sections(texts...), cfg)
		}
	}
	_, all := verify(t, store, replay.Options{Compilers: map[string]replay.Compiler{
		"old": func([]byte, func(fingerprint.Digest) (string, error)) (composer.Composition, error) {
			return composer.Composition{}, fmt.Errorf("old: %w", composer.ErrVersion)
		},
		"moody": of(composer.Config{Budget: tiers.Limit(1 << 40)}, "a", "b"),
		"fine":  of(composer.Config{}, "a", "b"),
	}})
	var told []string
	for _, d := range all {
		told = append(told, fmt.Sprint(d.Turn, " ", d.Cause))
	}
	if got, want := strings.Join(told, ", "), "1 kind_unknown, 2 version_changed"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	_, all = verify(t, store, replay.Options{Compilers: map[string]replay.Compiler{"moody": of(composer.Config{}, "a", "B"), "fine": of(composer.Config{}, "b", "a")}})
	if d := all[2]; d.Cause != "content_changed" || d.Section != "section 1" || d.At != 3 || d.Want != "a\n\nb" || d.Got != "a\n\nB" {
		t.Errorf("%+v", d)
	}
}

// A miss names the nearest record, and is never served by it.
func TestMatch(t *testing.T) {
	store := new(replay.Memory)
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	mustRecord(t, rec, mustCompose(t, sections("one", "two"), composer.Config{}), replay.Turn{})
	want := mustRecord(t, rec, mustCompose(t, sections("one", "two", "three"), composer.Config{}), replay.Turn{})
	mustRecord(t, rec, mustCompose(t, sections("else"), composer.Config{}), replay.Turn{})
	reader := replay.NewReader(store)
	if got, err := reader.Match(t.Context(), "s", mustCompose(t, sections("one", "two", "three"), composer.Config{})); err != nil || got.Digest() != want.Digest() {
		t.Errorf("%+v, %v", got, err)
	}
	_, err := reader.Match(t.Context(), "s", mustCompose(t, sections("one", "two", "threE"), composer.Config{}))
	var miss *replay.MissError
	if !errors.As(err, &miss) || miss.Nearest.Turn != 2 || miss.Nearest.Cause != "content_changed" || miss.Nearest.Section != "section 2" || miss.Nearest.At != 14 {
		t.Errorf("%v", err)
	}
}

func TestClean(t *testing.T) {
	store := new(replay.Memory)
	recordGrowing(t, store, "s", 30)
	recordGrowing(t, store, "t", 1)
	all, err := replay.Measure(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	if none, err := replay.Clean(t.Context(), store, time.Time{}, false); err != nil || none != (replay.Cleaned{}) {
		t.Errorf("nothing to clean: %+v, %v", none, err)
	}
	cut := noon.Add(10 * time.Minute)
	would, err := replay.Clean(t.Context(), store, cut, true)
	if err != nil {
		t.Fatal(err)
	}
	did, err := replay.Clean(t.Context(), store, cut, false)
	if err != nil || did != would || did.Records != 11 || did.Objects == 0 {
		t.Errorf("%+v, dry run %+v, %v", did, would, err)
	}
	left, err := replay.Measure(t.Context(), store)
	if err != nil || left.Records != 20 || left.Objects != all.Objects-did.Objects || left.StoredBytes != all.StoredBytes-did.Bytes {
		t.Errorf("left %+v of %+v after %+v, %v", left, all, did, err)
	}
	if report, told := verify(t, store, replay.Options{}); report.Verified != 20 || !report.OK() {
		t.Errorf("%v, %v", report, told)
	}
	if checked, err := replay.Check(t.Context(), store, replay.CheckOptions{}); err != nil || checked.Orphans != 0 || checked.Damaged != 0 {
		t.Errorf("%+v, %v", checked, err)
	}
	// What is damaged is not cleaned: nobody knows what the damaged part needs.
	damaged := tampered{Store: store, object: func(o *replay.Object) bool { o.Size++; return true }}
	var corrupt *replay.CorruptError
	if _, err := replay.Clean(t.Context(), damaged, noon.Add(time.Hour), false); !errors.As(err, &corrupt) {
		t.Errorf("a damaged store: %v", err)
	}
}

// Two recipes may have all of a digest in common but its closing quote: what the second one names stays.
func TestCleanBetweenRecipes(t *testing.T) {
	c := must1(composer.Compose([]composer.Section{{ID: "a", Content: "alone"}}, composer.Config{}))
	name := fingerprint.SumString("alone").String()
	recipe := c.Recipe().AppendJSON(nil)
	longer := bytes.ReplaceAll(recipe, []byte(name), []byte(name+"0"))
	if bytes.Equal(recipe, longer) {
		t.Fatalf("%s does not name %s", recipe, name)
	}
	store := new(replay.Memory)
	must1(replay.NewRecorder(store, replay.Session{ID: "s"}).RecordCompilation(t.Context(),
		composer.Compilation{Composition: c, Kind: "other", Recipe: longer}, replay.Turn{}))
	if cleaned, err := replay.Clean(t.Context(), store, time.Time{}, true); err != nil || cleaned != (replay.Cleaned{}) {
		t.Errorf("%+v would go, %v", cleaned, err)
	}
}

func TestSecrets(t *testing.T) {
	store := new(replay.Memory)
	rec := replay.NewRecorder(store, replay.Session{ID: "s"})
	// Each is put together here, so that this file holds none.
	secrets := []string{"AKIA" + strings.Repeat("A1B2", 4), "ghp_" + strings.Repeat("a1B2", 9), "sk-ant-" + strings.Repeat("api03-", 6), "sk-proj-" + strings.Repeat("aB3_", 10),
		"AIza" + strings.Repeat("abcde", 7), "xoxb-" + strings.Repeat("12345", 5), "-----BEGIN RSA PRIVATE" + " KEY-----", "Authorization: Bearer " + strings.Repeat("abcd", 6)}
	var list []composer.Section
	filler := strings.Repeat("nothing to see here, sk-learn and AKIA and ghp_ are words. ", 400) // in pieces
	for i, secret := range secrets {
		list = append(list, composer.Section{ID: fmt.Sprint(i), Content: filler[:100*i] + "\n" + secret + "\n" + filler[100*i:]})
	}
	mustRecord(t, rec, mustCompose(t, list, composer.Config{}), replay.Turn{})
	var kinds []string
	report, err := replay.Check(t.Context(), store, replay.CheckOptions{Secrets: true, Secret: func(s replay.Secret) {
		content, err := replay.NewReader(store).Content(t.Context(), s.Object)
		if err != nil || !slices.Contains(secrets, content[s.Offset:s.Offset+s.Length]) {
			t.Errorf("%+v: %q, %v", s, content[s.Offset:s.Offset+s.Length], err)
		}
		kinds = append(kinds, s.Kind)
	}})
	slices.Sort(kinds)
	if err != nil || report.Secrets != int64(len(secrets)) || len(slices.Compact(kinds)) != len(secrets) {
		t.Errorf("%+v, %v, %q", report, err, kinds)
	}
}

// A store that cannot be read is an error of its own, and says nothing about what is in it.
func TestVerifyOfAStoreThatCannotBeRead(t *testing.T) {
	store := new(replay.Memory)
	recordGrowing(t, store, "s", 80) // long enough for recipes in pieces
	lost := errors.New("the cable is out")
	for reads := 0; ; reads++ {
		left := reads
		report, err := replay.Verify(t.Context(), unreadable{store, &left, lost}, replay.Query{}, replay.Options{Jobs: 1})
		if err == nil && report.Verified == 80 {
			t.Logf("%d reads", reads)
			return
		}
		if !errors.Is(err, lost) || !report.OK() {
			t.Fatalf("lost after %d reads: %v, %v", reads, report, err)
		}
	}
}

type unreadable struct {
	replay.Store
	left *int
	err  error
}

func (s unreadable) Objects(ctx context.Context, names []fingerprint.Digest) ([]replay.Object, error) {
	if *s.left--; *s.left < 0 {
		return nil, s.err
	}
	return s.Store.Objects(ctx, names)
}
