package cachelab_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/cachelab"
)

func ExampleLint() {
	c, err := composer.Compose([]composer.Section{
		{ID: "persona", Content: "You are terse."},
		{ID: "clock", Content: "It is 2026-11-30 10:41:02.", Breakpoint: true},
		{ID: "state", Content: "Started 2026-11-30 10:40:59."}, // behind the breakpoint: no one minds
	}, composer.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _ := cachelab.ProfileByName("anthropic-sonnet-5")
	var r cachelab.Reader
	for _, f := range cachelab.Lint([]cachelab.Request{r.Composition(c)}, p, cachelab.Silence{Code: cachelab.BelowMinimum}) {
		fmt.Println(f)
		fmt.Println("  " + f.Remedy)
	}
	// Output:
	// system[1] (section clock): clock: "It is 2026-11-30 10:41:02."
	//   pass the time as a value behind the last breakpoint, or in the user's message
	// system[1] (section clock): volatile_marked
	//   split the block, and put the marker before what changes: what is written here is never read
}

func ExampleParseSilence() {
	s, err := cachelab.ParseSilence("clock@persona")
	fmt.Println(s.Code, s.Section, err)
	_, err = cachelab.ParseSilence("clok")
	fmt.Println(err)
	// Output:
	// clock persona <nil>
	// cachelab: silence "clok": no such code as "clok"; want one of affinity_varies, below_minimum, blank_marked, clock, counter, date, far_apart, hex, id, marker_limit, nothing_marked, path, pointer, retention_conflict, tools_unsorted, tools_vary, ttl_order, uuid, varies, volatile_marked
}

// clean is a request with nothing to complain of.
func clean() talk {
	k := agent()
	k.system = []string{manual}
	return k
}

func found(t *testing.T, p string, bodies ...any) []string {
	t.Helper()
	var series []cachelab.Request
	for _, b := range bodies {
		series = append(series, request(t, b))
	}
	var got []string
	for _, f := range cachelab.Lint(series, profile(t, p)) {
		got = append(got, string(f.Code))
		if f.Remedy == "" || f.Place == "" || f.Section == "" {
			t.Errorf("incomplete: %+v", f)
		}
	}
	return got
}

func TestLintText(t *testing.T) {
	tests := []struct {
		text string
		want string // "" is silence
	}{
		{"Today is 2026-11-30.", "date"},
		{"Today's date: Monday, November 30, 2026.", "date"},
		{"The current date is 30 November 2026", "date"},
		{"The current time is 2024-05-15 15:00:00 EST.", "clock"},
		{"generated 2026-11-30T10:41:02.123Z", "clock"},
		{"It is now: 10:41", "clock"},
		{"timestamp 1764499262", "clock"},
		{"run 0f8fad5b-d9cb-469f-a165-70867728950e", "uuid"},
		{"at commit 3b3ffb5aa0c94bd9b50e2b0b1b1f0a6c3b3ffb5a", "hex"},
		{"x-meta: cch=11111", "counter"},
		{"[12 earlier messages removed]", "counter"},
		{"(3 tool results were omitted)", "counter"},
		{"Your home is /home/ada/projects", "path"},         // lint:sample
		{`Look into C:\Users\ada\Documents first.`, "path"}, // lint:sample
		{"<object at 0x7f8a2c3d4e50>", "pointer"},

		{"", ""},
		{"Be brief. Answer in 3 sentences, 80 words at most.", ""},
		{"Released on 2024-04-04 under version 1.2.3.", ""},
		{"Use dates such as 2026-11-30 and times like 2026-11-30T10:41:02Z.", ""},
		{"Write the path relative to the project: src/main.go, /etc/hosts, /testbed.", ""},
		{"The mask is 0xFF; the port is 8080; the ratio 16:9.", ""},
		{"Remove 3 files at a time.", ""},
		{"ISBN 9780131103627, call 555-0100-2020", ""},
		{"Between 09:00 and 17:00 on weekdays.", ""},
		{"deadbeef is a magic number", ""},
		{"日本語 café 😀 — nothing here.", ""},
	}
	for _, test := range tests {
		k := clean()
		k.system[0] = test.text + "\n" + manual
		k.marks["system"] = "5m"
		var want []string
		if test.want != "" {
			want = []string{test.want, "volatile_marked"}
		}
		if diff := cmp.Diff(want, found(t, "anthropic-sonnet-5", k.anthropic())); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestLintRequests(t *testing.T) {
	edit := func(change func(k *talk)) talk {
		k := clean()
		change(&k)
		return k
	}
	tests := []struct {
		name    string
		profile string
		series  []talk
		want    []string
	}{
		{"clean", "anthropic-sonnet-5", []talk{clean(), next(clean())}, nil},
		{"clean, without markers", "openai-gpt-5", []talk{long(3, nil), long(5, nil)}, nil},
		{"a date behind the last marker", "anthropic-sonnet-5", []talk{edit(func(k *talk) {
			k.system = append(k.system, "Today is 2026-11-30.")
			k.marks = map[string]string{"tools": "5m"}
		})}, []string{"below_minimum"}},
		{"times in what was said", "anthropic-sonnet-5", []talk{edit(func(k *talk) { k.turns[2].text = "2026-11-30 10:41:02 ok\n12 files removed" })}, nil},
		{"a counter in a notice", "anthropic-sonnet-5", []talk{edit(func(k *talk) { k.turns[0].user = "[12 messages removed]" })}, []string{"counter"}},
		{"unsorted", "openai-gpt-5", []talk{edit(func(k *talk) {
			k.tools[0], k.tools[1] = k.tools[1], k.tools[0]
			k.marks = nil
		})}, []string{"tools_unsorted"}},
		{"another order in the next", "anthropic-sonnet-5", []talk{clean(), edit(func(k *talk) { k.tools[0], k.tools[1] = k.tools[1], k.tools[0] })},
			[]string{"tools_unsorted", "tools_vary"}},
		{"a value that does vary", "anthropic-sonnet-5", []talk{
			edit(func(k *talk) { k.system[0] = "build=4711 " + manual }), edit(func(k *talk) { k.system[0] = "build=4712 " + manual })}, []string{"varies"}},
		{"no marker at all", "anthropic-sonnet-5", []talk{edit(func(k *talk) { k.marks = nil })}, []string{"nothing_marked"}},
		{"a marker on nothing", "anthropic-sonnet-5", []talk{edit(func(k *talk) { k.system = append(k.system, " \n") })}, []string{"blank_marked"}},
		{"too many", "anthropic-sonnet-5", []talk{edit(func(k *talk) {
			k.marks = map[string]string{"system": "5m", "0": "5m", "2": "5m", "3": "5m", "4": "5m"}
		})}, []string{"marker_limit"}},
		{"order of lifetimes", "anthropic-sonnet-5", []talk{edit(func(k *talk) { k.marks["4"] = "1h" })}, []string{"ttl_order"}},
		{"too far apart", "anthropic-sonnet-5", []talk{long(30, map[string]string{"system": "5m", "2": "5m", "S": "5m"})}, []string{"far_apart"}},
		{"a key that varies", "openai-gpt-5", []talk{
			edit(func(k *talk) { k.marks, k.params = nil, object{"prompt_cache_key": "a"} }),
			edit(func(k *talk) { k.marks, k.params = nil, object{"prompt_cache_key": "b"} })}, []string{"affinity_varies"}},
		{"two ways to say how long", "openai-gpt-5.6", []talk{edit(func(k *talk) {
			k.marks = nil
			k.params = object{"prompt_cache_retention": "24h", "prompt_cache_options": object{"mode": "implicit"}}
		})}, []string{"retention_conflict"}},
		{"explicit, without a marker", "openai-gpt-5.6", []talk{edit(func(k *talk) {
			k.marks = nil
			k.params = object{"prompt_cache_options": object{"mode": "explicit"}}
		})}, []string{"nothing_marked"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var bodies []any
			for _, k := range test.series {
				if strings.HasPrefix(test.profile, "openai") {
					bodies = append(bodies, k.openai())
				} else {
					bodies = append(bodies, k.anthropic())
				}
			}
			if diff := cmp.Diff(test.want, found(t, test.profile, bodies...)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSilence(t *testing.T) {
	k := clean()
	k.system[0] = "Today is 2026-11-30.\n" + manual
	q, p := request(t, k.anthropic()), profile(t, "anthropic-sonnet-5")
	for _, test := range []struct {
		silence string
		left    int
	}{
		{"date", 1}, {"date@system", 1}, {"date@tools", 2}, {"@system", 0}, {"clock", 2},
	} {
		s, err := cachelab.ParseSilence(test.silence)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(cachelab.Lint([]cachelab.Request{q}, p, s)); got != test.left {
			t.Errorf("%s leaves %d findings; want %d", test.silence, got, test.left)
		}
	}
}

func FuzzLint(f *testing.F) {
	for _, s := range []string{"Today is 2026-11-30 10:41:02Z", "0x7f8a2c3d4e50 /home/" + "a/b C:\\" + "Users\\x", "[12 messages removed]",
		"0f8fad5b-d9cb-469f-a165-70867728950e call_8Xk2pQ7vRt", "Mon, 3 Nov 2026", "\xff\u00e9\U0001F600", "Nov ", "2026-11-30T"} {
		f.Add(s, s+"1")
	}
	profiles := cachelab.Profiles()
	f.Fuzz(func(t *testing.T, x, y string) {
		var r cachelab.Reader
		a, errA := r.Call(callOf([]string{x, y, x}))
		b, errB := r.Call(callOf([]string{x, y, y, x}))
		if errA != nil || errB != nil {
			return // not UTF-8
		}
		for _, p := range profiles {
			a, b := p.Mark(a), p.Mark(b)
			cachelab.Lint([]cachelab.Request{a, b}, p)
			e := cachelab.Explain(a, b, p, profiles...)
			checkDivergence(t, a, b, p, e)
		}
	})
}
