package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// testModel runs random batches and deletions on a store and on a [replay.Memory], and wants the same answers.
func testModel(t *testing.T, place func(t *testing.T) Place) {
	rapid.Check(t, func(rt *rapid.T) {
		p := place(t)
		stores := map[string]replay.Store{}
		models := map[string]*replay.Memory{}
		for _, tenant := range []string{"a", "b"} {
			s, err := p(tenant)
			if err != nil {
				rt.Fatal(err)
			}
			defer s.Close()
			stores[tenant], models[tenant] = s, new(replay.Memory)
		}
		tenant := rapid.SampledFrom([]string{"a", "b"})
		session := rapid.SampledFrom([]string{"s", "t", "Ü"})
		name := rapid.Custom(func(rt *rapid.T) fingerprint.Digest {
			return object(fmt.Sprint(rapid.IntRange(0, 9).Draw(rt, "object"))).Name
		})
		// check wants that a store shows what its model shows.
		check := func(rt *rapid.T, tenant string) {
			got, want := everything(t, stores[tenant]), everything(t, models[tenant])
			if reflect.DeepEqual(want, got) {
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("tenant %s (-want +got):\n%s", tenant, diff)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(rt *rapid.T) {
				who := tenant.Draw(rt, "tenant")
				var batch replay.Batch
				for range rapid.IntRange(0, 3).Draw(rt, "objects") {
					o := object(fmt.Sprint(rapid.IntRange(0, 9).Draw(rt, "object")))
					o.Data = rapid.SliceOfN(rapid.Byte(), 1, 5).Draw(rt, "data")
					batch.Objects = append(batch.Objects, o)
				}
				for range rapid.IntRange(0, 3).Draw(rt, "entries") {
					e := entry(session.Draw(rt, "session"), rapid.Int64Range(1, 4).Draw(rt, "seq"))
					e.Turn = rapid.Int64Range(1, 6).Draw(rt, "turn")
					for head := range models[who].Heads(t.Context(), e.Session) {
						if rapid.Bool().Draw(rt, "next") {
							e.Seq = head.Last + 1
						}
					}
					batch.Entries = append(batch.Entries, e)
				}
				stale := rapid.IntRange(0, 9).Draw(rt, "stale") == 0
				errs := [2]error{}
				for i, s := range []replay.Store{stores[who], models[who]} {
					batch.Epoch = epoch(t, s)
					if stale {
						batch.Epoch--
					}
					errs[i] = s.Append(t.Context(), batch)
				}
				agree(rt, "append", errs[0], errs[1])
			},
			"delete": func(rt *rapid.T) {
				who := tenant.Draw(rt, "tenant")
				d := replay.Deletion{Heads: collect(t, models[who].Heads(t.Context(), "")), Through: map[string]int64{},
					Objects: rapid.SliceOfN(name, 0, 3).Draw(rt, "objects")}
				for range rapid.IntRange(0, 2).Draw(rt, "sessions") {
					d.Through[session.Draw(rt, "session")] = rapid.Int64Range(0, 5).Draw(rt, "through")
				}
				if len(d.Heads) > 0 && rapid.IntRange(0, 5).Draw(rt, "stale") == 0 {
					d.Heads = d.Heads[1:]
				}
				agree(rt, "delete", stores[who].Delete(t.Context(), d), models[who].Delete(t.Context(), d))
			},
			"missing": func(rt *rapid.T) {
				who := tenant.Draw(rt, "tenant")
				names := rapid.SliceOfN(name, 0, 6).Draw(rt, "names")
				got, _, err := stores[who].Missing(t.Context(), names)
				want, _, wantErr := models[who].Missing(t.Context(), names)
				agree(rt, "missing", err, wantErr)
				if diff := cmp.Diff(want, got); diff != "" {
					rt.Fatalf("missing (-want +got):\n%s", diff)
				}
			},
			"entries": func(rt *rapid.T) {
				who := tenant.Draw(rt, "tenant")
				span := replay.Span{From: rapid.Int64Range(0, 5).Draw(rt, "from"), To: rapid.Int64Range(0, 5).Draw(rt, "to"),
					Turn: rapid.Int64Range(0, 6).Draw(rt, "turn")}
				if rapid.Bool().Draw(rt, "one session") {
					span.Session = session.Draw(rt, "session")
				}
				if rapid.Bool().Draw(rt, "one key") {
					span.Key = entry(session.Draw(rt, "key's session"), rapid.Int64Range(1, 5).Draw(rt, "key's seq")).Key
				}
				got, want := collect(t, stores[who].Entries(t.Context(), span)), collect(t, models[who].Entries(t.Context(), span))
				if diff := cmp.Diff(want, got); diff != "" {
					rt.Fatalf("%+v (-want +got):\n%s", span, diff)
				}
			},
			"": func(rt *rapid.T) {
				check(rt, "a")
				check(rt, "b")
			},
		})
	})
}

// agree wants the same kind of answer from store and model.
func agree(rt *rapid.T, what string, got, want error) {
	for _, kind := range []error{nil, replay.ErrConflict, replay.ErrStale} {
		if is(want, kind) && !is(got, kind) {
			rt.Fatalf("%s: %v; want %v", what, got, want)
		}
	}
}

func is(err, kind error) bool {
	return kind == nil && err == nil || kind != nil && errors.Is(err, kind)
}
