package sessions_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
)

var update = flag.Bool("update", false, "write the golden files anew")

// ownFiles returns files of all formats, in the shapes of real ones.
func ownFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/files/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no files: ", err)
	}
	return files
}

// describe writes out all that was read, one thing a line.
func describe(s sessions.Session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "format %s, %d broken\n", s.Format, s.Broken)
	if s.Instructions != "" {
		fmt.Fprintf(&b, "instructions %q\n", s.Instructions)
	}
	for _, tool := range s.Tools {
		fmt.Fprintf(&b, "tool %s: %s\n", tool.Name, tool.Definition)
	}
	for i, c := range s.Calls {
		fmt.Fprintf(&b, "\ncall %d, line %d", i, c.Line)
		if c.Thread != "" {
			fmt.Fprintf(&b, ", thread %q", c.Thread)
		}
		if c.Lead > 0 {
			fmt.Fprintf(&b, ", lead %d", c.Lead)
		}
		if c.Model != "" {
			fmt.Fprintf(&b, ", model %s", c.Model)
		}
		if !c.Time.IsZero() {
			fmt.Fprintf(&b, ", %s", c.Time.Format(time.RFC3339Nano))
		}
		if c.Usage.Recorded {
			fmt.Fprintf(&b, ", %d in, %d cached, %d written, %d out", c.Usage.Input, c.Usage.Cached, c.Usage.Written, c.Usage.Output)
		}
		body, err := c.AppendJSON(nil)
		if err != nil {
			body = []byte(err.Error())
		}
		fmt.Fprintf(&b, "\n  %s\n", body)
		g := c.Prompt().Groups
		fmt.Fprintf(&b, "  %d instructions, %d history, %d current\n", len(g.Instructions), len(g.History), len(g.Current))
	}
	fmt.Fprintln(&b)
	for _, o := range s.Outcomes {
		fmt.Fprintf(&b, "%d %s: %s", o.Line, o.Path, o.Status)
		if o.Reason != "" {
			fmt.Fprintf(&b, ": %s", o.Reason)
		}
		fmt.Fprintln(&b)
	}
	for _, d := range s.Breaks() {
		fmt.Fprintf(&b, "call %d does not extend call %d: %s\n", d.Call, d.Last, d.Difference)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, path := range ownFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			s, err := readFile(t, path, sessions.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := describe(s)
			golden := filepath.Join("testdata", "golden", filepath.Base(path)+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, c := range s.Calls {
				stored(t, c)
			}
		})
	}
}

// TestZstandard: inspect_ai has packed its archives with it since 2026; the session is the same.
func TestZstandard(t *testing.T) {
	const path = "testdata/files/inspect.eval"
	deflated, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer deflated.Close()
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	archive.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor())
	for _, f := range deflated.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		out, err := archive.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zstd.ZipMethodWinZip})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(out, in); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := sessions.Read("inspect.eval", &packed, sessions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := readFile(t, path, sessions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(describe(want), describe(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSamplesInPieces(t *testing.T) {
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for _, name := range []string{"samples/a_epoch_1/sample.json", "samples/a_epoch_1/events/0.json"} {
		out, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte("[]")); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `sessions: pieces.eval:1: samples/a_epoch_1/sample.json: a sample that is stored in pieces, which are not read; want what "inspect log dump FILE" prints`
	if _, err := sessions.Read("pieces.eval", bytes.NewReader(packed.Bytes()), sessions.Options{}); err == nil || err.Error() != want {
		t.Errorf("error %v; want %s", err, want)
	}
	s, err := sessions.Read("pieces.eval", &packed, sessions.Options{SkipBad: true})
	if err != nil || len(s.Outcomes) != 2 || s.Broken != 1 {
		t.Fatalf("%d outcomes, %d broken, error %v", len(s.Outcomes), s.Broken, err)
	}
	if piece := s.Outcomes[0]; piece.Status != sessions.Aside || piece.Reason != "a piece of a sample that is stored in pieces" {
		t.Errorf("%+v", piece)
	}
}

// stored checks that every message survives the form in which a composition stores it.
func stored(t testing.TB, c sessions.Call) {
	t.Helper()
	for i, m := range c.Messages {
		want, err := m.AppendJSON(nil)
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		read, err := messages.ParseMessage(want)
		if err != nil {
			t.Fatalf("message %d: %v in %s", i, err, want)
		}
		got, err := read.AppendJSON(nil)
		if err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("message %d, stored and read again (-want +got):\n%s", i, cmp.Diff(string(want), string(got)))
		}
	}
}
