package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/promptfile"
)

// An answer comes as soon as its line is there: a program may hold a conversation.
func TestLinesStream(t *testing.T) {
	ask, questions := io.Pipe()
	answers, answer := io.Pipe()
	done := make(chan int)
	go func() {
		var stderr bytes.Buffer
		code := run([]string{"compile", "--jsonl"}, ask, answer, &stderr)
		answer.Close()
		done <- code
	}()
	read := bufio.NewReader(answers)
	for i := range 3 {
		fmt.Fprintf(questions, `{"sections":[{"id":"a","text":"question %d"}]}`+"\n", i)
		line, err := read.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, fmt.Sprintf(`{"text":"question %d",`, i)) {
			t.Errorf("answer %d: %q, %v", i, line, err)
		}
	}
	questions.Close()
	if rest, err := read.ReadString('\n'); err != io.EOF || rest != "" {
		t.Errorf("after the last answer: %q, %v", rest, err)
	}
	if code := <-done; code != 0 {
		t.Errorf("status %d", code)
	}
}

// A line of the greatest length is taken, a longer one is stepped over, and the run goes on behind it.
func TestLongLines(t *testing.T) {
	const prompt = `{"sections":[]}`
	longest := prompt + strings.Repeat(" ", promptfile.MaxSource-len(prompt))
	code, out, errs := quire(t, longest+"\n"+longest+" \n"+prompt, "compile", "--jsonl")
	lines := strings.Split(out, "\n")
	if code != exitInput || len(lines) != 4 ||
		!strings.HasPrefix(lines[0], `{"text":"",`) ||
		lines[1] != `{"error":"the line has more than 64 MiB; keep long texts in files","line":2}` ||
		lines[2] != lines[0] || errs != "quire: <stdin>: 1 line of 3 could not be composed; their output lines say why\n" {
		t.Errorf("status %d, %.200q, %q", code, lines, errs)
	}
}

func TestSweepCells(t *testing.T) {
	var src strings.Builder
	src.WriteString("sections:\n")
	for i := range 1001 {
		fmt.Fprintf(&src, "- {id: s%d, text: x}\n", i)
	}
	code, out, errs := quire(t, src.String(), "explain", "-", "--sweep", "1:1000:1")
	if code != exitInput || out != "" || errs != "quire: --sweep: 1000 budgets and 1001 sections; want a larger STEP, for at most 1000000 cells\n" {
		t.Errorf("status %d, %.100q, %q", code, out, errs)
	}
	if code, out, errs := quire(t, src.String(), "explain", "-", "--sweep", "1:999:1"); code != 0 || strings.Count(out, "\n") != 1005 {
		t.Errorf("status %d, %d lines, %q", code, strings.Count(out, "\n"), errs)
	}
}
