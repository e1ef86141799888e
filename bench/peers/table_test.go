package main

import (
	"strings"
	"testing"
	"time"
)

func TestKept(t *testing.T) {
	in := NewInput(30)
	for _, test := range []struct {
		name   string
		prompt []string
		want   string
	}{
		{"one message", []string{strings.Join(in.Sections[10:], "\n")}, "10–29 (20)"},
		{"many messages", in.Sections[28:], "28–29 (2)"},
		{"gaps and order", []string{in.Sections[5], in.Sections[3], in.Sections[4]}, "5, 3–4 (3)"},
		{"none", nil, "none"},
	} {
		if got := Ranges(Kept(test.prompt)); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestDifference(t *testing.T) {
	quire := []int{2, 3, 4}
	for _, test := range []struct {
		peer []int
		want string
	}{
		{[]int{2, 3, 4}, "same"},
		{[]int{1, 2, 3, 4}, "1 more"},
		{[]int{4}, "2 fewer"},
		{[]int{4, 3, 2}, "4, 3, 2 (3)"},
		{[]int{3, 2}, "3, 2 (2)"},
		{nil, "3 fewer"},
	} {
		if got := Difference(quire, test.peer); got != test.want {
			t.Errorf("%v: %s, want %s", test.peer, got, test.want)
		}
	}
}

// What is written in Go keeps the same sections, those that the budget says.
func TestNativePeersKeepTheNewest(t *testing.T) {
	in := NewInput(100)
	for _, p := range append(ours(in), theirs(in)...) {
		_, prompt, err := p.First()
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		kept := Kept(prompt)
		want := "50–99 (50)"
		if p.Name == "langchaingo TokenBuffer" { // its count has a role before each
			want = "52–99 (48)"
		}
		if got := Ranges(kept); got != want {
			t.Errorf("%s keeps %s, want %s", p.Name, got, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	row := func(count int, peer string, rival bool, ms int64, ratio float64) Result {
		took := time.Duration(ms) * time.Millisecond
		return Result{Peer: peer, Rival: rival, Count: count, First: 2 * took, times: []time.Duration{took}, ratios: []float64{ratio}}
	}
	results := []Result{
		row(10, "quire", false, 1, 1), row(10, "slow", true, 30, 29), row(10, "quick", true, 20, 21), row(10, "least", false, 0, 0.5),
		row(100, "quire", false, 10, 1), row(100, "slow", true, 3000, 300), row(100, "quick", true, 2000, 200), row(100, "least", false, 5, 0.5),
	}
	want := "10 sections: fastest quick, 21.0 times quire; in its first run quick, 20.0 times\n" +
		"100 sections: fastest quick, 200.0 times quire; in its first run quick, 200.0 times\n"
	if got := Verdict(results); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if table := Table(results); !strings.Contains(table, "100.0") { // 20 ms to 2000 ms
		t.Errorf("no growth of 100 in\n%s", table)
	}
}
