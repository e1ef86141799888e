package fuzz

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/internal/edits"
)

// A trial runs one law, many times or once, and remembers whether it ever showed anything.
type trial struct {
	held    int    // how often the law was tried to its end
	without string // what was missing when it never was
	refusal error  // the last error of the compile function
}

// check tries a law on as many inputs as rapid is told to, or on one where t draws already. The law calls held once it
// has looked at something.
func check(t rapid.TB, without string, law func(*rapid.T, *trial)) {
	t.Helper()
	tr := &trial{without: without}
	if t, drawing := t.(*rapid.T); drawing {
		law(t, tr)
		return
	}
	rapid.Check(t, func(t *rapid.T) { law(t, tr) })
	if tr.held == 0 {
		t.Errorf("nothing was shown: %s%s", tr.without, tr.lastRefusal())
	}
}

// lastRefusal is the end of a sentence that says why the compile function gave nothing.
func (tr *trial) lastRefusal() string {
	if tr.refusal == nil {
		return ""
	}
	return fmt.Sprintf("; its last error: %v", tr.refusal)
}

// An outcome is what a compile function answered.
type outcome[C any] struct {
	answer   C
	err      error
	panicked string // what it panicked with, and where
}

// run calls a compile function and catches its panic, so that one on another goroutine is a counterexample too.
func run[C any](compile func() (C, error)) (o outcome[C]) {
	defer func() {
		if r := recover(); r != nil {
			o.panicked = fmt.Sprintf("%v\n%s", r, debug.Stack())
		}
	}()
	o.answer, o.err = compile()
	return o
}

// compiled runs a compile function that must not panic, and reports whether it gave an answer.
func compiled[C any](t *rapid.T, tr *trial, compile func() (C, error)) (answer C, ok bool) {
	t.Helper()
	o := run(compile)
	if o.panicked != "" {
		t.Fatalf("compile panicked: %s", o.panicked)
	}
	if o.err != nil {
		tr.refusal = o.err
	}
	return o.answer, o.err == nil
}

// difference says how two outcomes differ; "" when they do not.
func difference(a, b outcome[composer.Composition]) string {
	switch {
	case a.panicked != "" || b.panicked != "":
		return "a panic (compile panicked: " + cmp.Or(a.panicked, b.panicked) + ")"
	case a.err != nil && b.err != nil:
		if a.err.Error() == b.err.Error() {
			return ""
		}
		return fmt.Sprintf("two errors:\n\t%v\n\t%v", a.err, b.err)
	case a.err != nil:
		return fmt.Sprintf("an error, then a composition: %v", a.err)
	case b.err != nil:
		return fmt.Sprintf("a composition, then an error: %v", b.err)
	}
	return differ(a.answer, b.answer)
}

// differ says how two compositions differ, in what they emit first, and then in what decided it.
func differ(a, b composer.Composition) string {
	textA, textB := a.Text(), b.Text()
	recipe := a.Recipe().Key() == b.Recipe().Key()
	if textA == textB && recipe {
		return ""
	}
	var out strings.Builder
	if textA == textB {
		out.WriteString("one text twice, decided in two ways")
	} else {
		at := edits.CommonPrefix(textA, textB)
		fmt.Fprintf(&out, "two texts, which differ from byte %d on:\n\t%s\n\t%s", at, around(textA, at), around(textB, at))
	}
	d := composer.Diff(a, b)
	cause, found := d.Cause()
	if found {
		fmt.Fprintf(&out, "\ncause: %v", cause)
	}
	for _, change := range d.Changes {
		if change != cause {
			fmt.Fprintf(&out, "\nalso: %v", change)
		}
	}
	return out.String()
}

// around quotes what stands at a byte of a text, with a little before it.
func around(text string, at int) string {
	from, to := max(at-20, 0), min(at+40, len(text))
	quoted := strconv.Quote(text[from:to])
	if from > 0 {
		quoted = "…" + quoted
	}
	if to < len(text) {
		quoted += "…"
	}
	return quoted
}
