package sessions_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/internal/samples"
)

// dataFiles returns the real files below one folder of QUIRE_DATA.
func dataFiles(t *testing.T, folder string) []string {
	t.Helper()
	var files []string
	for path := range samples.Files(t, folder) {
		files = append(files, path)
	}
	return files
}

func readFile(t *testing.T, path string, o sessions.Options) (sessions.Session, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return sessions.Read(filepath.Base(path), f, o)
}

func TestRealFiles(t *testing.T) {
	for _, folder := range []string{"sessions", "requests", "tools"} {
		for _, path := range dataFiles(t, folder) {
			t.Run(filepath.Base(path), func(t *testing.T) {
				s, err := readFile(t, path, sessions.Options{SkipBad: true})
				if err != nil {
					t.Fatal(err)
				}
				var used, aside int
				for _, o := range s.Outcomes {
					switch {
					case o.Status == sessions.Used:
						used++
					case o.Status == sessions.Aside:
						aside++
					}
					if o.Status != sessions.Used && o.Reason == "" {
						t.Errorf("line %d %s: %s, without a reason", o.Line, o.Path, o.Status)
					}
					if o.Status == sessions.Broken {
						t.Logf("line %d %s: %s", o.Line, o.Path, o.Reason)
					}
				}
				largest := 0
				for _, c := range s.Calls {
					largest = max(largest, len(c.Messages))
				}
				t.Logf("%s: %d calls, at most %d messages, %d tools; %d records used, %d aside, %d broken; breaks %v", s.Format, len(s.Calls),
					largest, len(s.Tools), used, aside, s.Broken, s.Breaks())
				for i, c := range s.Calls {
					if _, err := c.AppendJSON(nil); err != nil {
						t.Errorf("call %d: %v", i, err)
					}
				}
			})
		}
	}
}

func TestRealBodiesAreWrittenBack(t *testing.T) {
	for _, path := range dataFiles(t, "requests") {
		if !strings.HasSuffix(path, ".jsonl") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := sessions.Read(path, bytes.NewReader(data), sessions.Options{})
			if err != nil {
				t.Fatal(err)
			}
			lines := bytes.Split(data, []byte("\n"))
			for _, c := range s.Calls {
				var want struct{ Body json.RawMessage }
				if err := json.Unmarshal(lines[c.Line-1], &want); err != nil {
					t.Fatal(err)
				}
				got, err := c.AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				if w, g := generic(t, want.Body), generic(t, got); !reflect.DeepEqual(w, g) {
					t.Errorf("line %d: not what was read (-want +got):\n%s", c.Line, cmp.Diff(w, g))
				}
			}
		})
	}
}

// generic decodes with a decoder that is not ours and keeps the digits of numbers.
func generic(t *testing.T, doc []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return v
}
