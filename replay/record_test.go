package replay_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

func digestOf(s string) fingerprint.Digest { return fingerprint.SumString(s) }

func anyRecord(t *rapid.T) replay.Record {
	text := rapid.StringN(0, 6, 20)
	some := func(label string) (d fingerprint.Digest) {
		if rapid.Bool().Draw(t, "some "+label) {
			d = digestOf(text.Draw(t, label))
		}
		return d
	}
	r := replay.Record{
		Session: "s" + strings.ReplaceAll(text.Draw(t, "session"), "\x00", ""),
		Seq:     rapid.Int64Min(1).Draw(t, "seq"), Turn: rapid.Int64Min(1).Draw(t, "turn"), Prev: some("prev"),
		Kind: text.Draw(t, "kind"), Recipe: fingerprint.Key(digestOf(text.Draw(t, "recipe"))), Lowered: some("lowered"),
		Output: digestOf(text.Draw(t, "output")), Bytes: rapid.Int64Min(0).Draw(t, "bytes"), Decisions: digestOf("decisions"),
		Labels:   rapid.MapOfN(text, text, 0, 4).Draw(t, "labels"),
		Response: some("response"), Redactor: text.Draw(t, "redactor"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "breakpoints") {
		r.Breakpoints = append(r.Breakpoints, composer.Prefix{ID: text.Draw(t, "id"), Digest: digestOf("prefix"), Bytes: rapid.Int64().Draw(t, "prefix bytes"), Size: 3, Breakpoint: true})
	}
	if rapid.Bool().Draw(t, "timed") {
		r.Time = time.Unix(rapid.Int64Range(-1e9, 9e9).Draw(t, "unix"), rapid.Int64Range(0, 1e9-1).Draw(t, "nanos")).UTC()
	}
	if rapid.Bool().Draw(t, "used") {
		r.Usage = &replay.Usage{Input: rapid.Int64().Draw(t, "input"), Cached: 1, Written: 2, Output: 3}
	}
	return r
}

// A record comes back from its JSON, which is the canonical one.
func TestRecordJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyRecord(t)
		src := want.AppendJSON(nil)
		canonical, err := fingerprint.Canonical(src)
		if err != nil || string(canonical) != string(src) {
			t.Fatalf("not canonical: %s\nbut %s (%v)", src, canonical, err)
		}
		got, err := replay.ParseRecord(src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// Any change of a bit is refused, or is another record: with another digest, and so never found under the old one.
func TestRecordBits(t *testing.T) {
	rec := replay.Record{Session: "s", Seq: 2, Turn: 3, Prev: digestOf("prev"), Kind: "composer", Recipe: fingerprint.Frame("r"), Output: digestOf("o"),
		Bytes: 7, Decisions: digestOf("d"), Time: noon, Labels: map[string]string{"model": "m"}, Usage: &replay.Usage{Input: 5},
		Breakpoints: []composer.Prefix{{ID: "a", Digest: digestOf("p"), Bytes: 4, Size: 4, Breakpoint: true}}}
	src := rec.AppendJSON(nil)
	for bit := range 8 * len(src) {
		src[bit/8] ^= 1 << (bit % 8)
		if got, err := replay.ParseRecord(src); err == nil {
			if got.Digest() == rec.Digest() || string(got.AppendJSON(nil)) != string(src) {
				t.Fatalf("with bit %d of byte %d flipped: %s", bit%8, bit/8, src)
			}
		} else if !errors.Is(err, replay.ErrRecord) {
			t.Fatal(err)
		}
		src[bit/8] ^= 1 << (bit % 8)
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add(replay.Record{Session: "s", Seq: 1, Turn: 1}.AppendJSON(nil))
	f.Add([]byte(`{"breakpoints":[]}`))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if rec, err := replay.ParseRecord(src); err == nil && string(rec.AppendJSON(nil)) != string(src) {
			t.Errorf("%q is accepted, but not what is written", src)
		}
	})
}
