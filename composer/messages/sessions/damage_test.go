package sessions_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/messages/sessions"
)

// TestDamagedFiles cuts and alters files of every format at many places. What comes out is a session, or an error that
// names the file and a line in it.
func TestDamagedFiles(t *testing.T) {
	for _, path := range sessionFiles(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		points := 60
		switch {
		case len(data) > 1<<20:
			points = 1
		case len(data) > 16<<10:
			points = 5
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			step := max(1, len(data)/points)
			for at := 0; at < len(data); at += step {
				cut := data[:at]
				flipped := bytes.Clone(data)
				flipped[at] ^= 0x21
				typed := append(append(bytes.Clone(data[:at]), `7`...), data[min(len(data), at+5):]...)
				for _, variant := range [][]byte{cut, flipped, typed} {
					readDamaged(t, path, variant)
				}
			}
		})
	}
}

func readDamaged(t testing.TB, path string, data []byte) {
	t.Helper()
	name := filepath.Base(path)
	strict, strictErr := sessions.Read(name, bytes.NewReader(data), sessions.Options{})
	if strictErr != nil {
		var e *sessions.Error
		if !errors.As(strictErr, &e) || e.File != name || e.Line < 1 || e.Line > bytes.Count(data, []byte("\n"))+1 && e.Path == "" {
			t.Fatalf("an error that does not say where: %v", strictErr)
		}
	}
	s, err := sessions.Read(name, bytes.NewReader(data), sessions.Options{SkipBad: true})
	if strictErr == nil && (err != nil || s.Broken != 0 || len(s.Calls) != len(strict.Calls)) {
		t.Fatalf("whole when read strictly, but %d broken, %d calls instead of %d, error %v", s.Broken, len(s.Calls), len(strict.Calls), err)
	}
	broken := 0
	for _, o := range s.Outcomes {
		if o.Status == sessions.Broken {
			broken++
		}
		if o.Status != sessions.Used && o.Reason == "" {
			t.Fatalf("line %d %s: %s, without a reason", o.Line, o.Path, o.Status)
		}
	}
	if broken != s.Broken {
		t.Fatalf("%d outcomes are broken, but %d are counted", broken, s.Broken)
	}
	for i := 0; i < len(s.Calls); i += 1 + len(s.Calls)/16 { // each repeats those before
		if _, err := s.Calls[i].AppendJSON(nil); err != nil {
			t.Fatalf("call of line %d: %v", s.Calls[i].Line, err)
		}
	}
}

// TestDamagedRecords checks what is said of single broken records, and that unknown things pass.
func TestDamagedRecords(t *testing.T) {
	const user = `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"a"}}`
	const answer = `{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}}`
	for _, test := range []struct {
		name, file string
		o          sessions.Options
		want       string // of the error
		calls      int
		broken     int
	}{
		{"cut line", user + "\n" + answer[:60] + "\n", sessions.Options{}, "sessions: x:2: byte 60 (/", 0, 0},
		{"cut line, skipped", user + "\n" + answer[:60] + "\n" + answer + "\n", sessions.Options{SkipBad: true}, "", 1, 1},
		{"wrong type", user + "\n" + strings.Replace(answer, `[{"type":"tool_use","id":"t","name":"f","input":{}}]`, "5", 1), sessions.Options{},
			"sessions: x:2: byte 115 (/message/content): content: want a string or a list of blocks; found number", 0, 0},
		{"a broken line links", user + "\n" + `{"type":"user","uuid":"u2","parentUuid":"u1","message":7}` + "\n" +
			strings.Replace(answer, `"parentUuid":"u1"`, `"parentUuid":"u2"`, 1), sessions.Options{SkipBad: true}, "", 1, 1},
		{"missing result", user + "\n" + answer + "\n" + strings.NewReplacer(`"a1"`, `"a2"`, `"u1"`, `"a1"`, `"m"`, `"m2"`).Replace(answer), sessions.Options{}, "", 2, 0},
		{"the same call and result twice", `[{"role":"user","content":"a"},` + strings.Repeat(`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},`+
			`{"role":"tool","tool_call_id":"c","content":"r"},{"role":"tool","tool_call_id":"c","content":"r"},`, 2) + `{"role":"assistant","content":"b"}]`, sessions.Options{}, "", 3, 0},
		{"a result of no call", `[{"role":"tool","tool_call_id":"zz","content":"r"},{"role":"assistant","content":"b"}]`, sessions.Options{}, "", 1, 0},
		{"unknown block", user + "\n" + strings.Replace(answer, "tool_use", "brand_new", 1) + "\n" +
			strings.NewReplacer(`"a1"`, `"a2"`, `"u1"`, `"a1"`, `"m"`, `"m2"`).Replace(answer), sessions.Options{}, "", 2, 0},
		{"a parent that is its own child", strings.Replace(user, "null", `"a1"`, 1) + "\n" + answer, sessions.Options{}, "", 1, 0},
		{"a byte order mark", "\ufeff" + user + "\n" + answer, sessions.Options{}, "", 1, 0},
		{"a byte order mark before a document", "\ufeff" + `[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`, sessions.Options{}, "", 1, 0},
		{"a byte order mark and nothing", "\ufeff", sessions.Options{}, "sessions: x:1: the file is empty", 0, 0},
		{"a role that is none", `{"contents":[{"role":["user"],"parts":[{"text":"a"}]}]}`, sessions.Options{},
			`sessions: x:1: byte 21 (/contents/0/role): role: want a name, not empty; found [`, 0, 0},
		{"a first message that is none", `[7,{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`, sessions.Options{SkipBad: true}, "", 1, 1},
		{"nothing", " \n\n", sessions.Options{}, "sessions: x:1: the file is empty", 0, 0},
		{"something else", "hello\nworld\n", sessions.Options{}, "sessions: x:1: byte 0: invalid character 'h' at start of value", 0, 0},
		{"another object", `{"a":1}`, sessions.Options{}, "sessions: x:1: the format is none of those that are read", 0, 0},
		{"lone surrogate", user + "\n" + strings.Replace(user, `"a"`, `"\ud83d"`, 1), sessions.Options{}, "sessions: x:2: byte", 0, 0},
		{"duplicate key", `{"role":"user","role":"user","content":"a"}`, sessions.Options{Format: sessions.Transcript}, "sessions: x:1: byte 15 (/role): duplicate", 0, 0},
		{"lines asked of a document", `[{"role":"user","content":"a"}]`, sessions.Options{Format: sessions.Pi}, "sessions: x:1: ", 0, 0},
		{"attachment that is not there", `{"eval":{},"samples":[{"id":1,"events":[{"event":"model","input":[{"role":"user","content":"attachment://zz"}]}]}]}`,
			sessions.Options{}, `sessions: x:1: /samples/0/events/0: byte 66 (/samples/0/events/0/input/0): attachment "attachment://zz" is not in the sample`, 0, 0},
		{"a zip that is none", "PK\x03\x04abc", sessions.Options{}, "sessions: x:1: an archive that cannot be opened: ", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := sessions.Read("x", strings.NewReader(test.file), test.o)
			if test.want == "" {
				if err != nil || len(s.Calls) != test.calls || s.Broken != test.broken {
					t.Errorf("%d calls, %d broken, error %v; want %d and %d", len(s.Calls), s.Broken, err, test.calls, test.broken)
				}
				return
			}
			if got := fmt.Sprint(err); !strings.HasPrefix(got, test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestLoneSurrogates: one message that is no Unicode is broken, and not the document around it.
func TestLoneSurrogates(t *testing.T) {
	for _, path := range []string{"adk.session.json", "adk.test.json", "claude-export.json", "gemini-cli.json", "inspect.json",
		"mini.traj.json", "openhands-old.json", "openhands.jsonl", "swe-agent-new.traj", "swe-agent-old.traj", "tau.json"} {
		t.Run(path, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "files", path))
			if err != nil {
				t.Fatal(err)
			}
			whole, err := sessions.Read(path, bytes.NewReader(data), sessions.Options{})
			if err != nil {
				t.Fatal(err)
			}
			// The last text of a user in the file.
			i := max(bytes.LastIndex(data, []byte(`"text": "`)), bytes.LastIndex(data, []byte(`"content": "`)),
				bytes.LastIndex(data, []byte(`"text":"`)), bytes.LastIndex(data, []byte(`"content":"`)))
			if i < 0 {
				t.Fatal("no text")
			}
			i += bytes.IndexByte(data[i:], ':') + 1
			i += bytes.IndexByte(data[i:], '"') + 1
			damaged := slices.Concat(data[:i], []byte(`\ud83d`), data[i:])
			_, err = sessions.Read(path, bytes.NewReader(damaged), sessions.Options{})
			if err == nil || !strings.Contains(err.Error(), "surrogate") {
				t.Errorf("read strictly: error %v", err)
			}
			s, err := sessions.Read(path, bytes.NewReader(damaged), sessions.Options{SkipBad: true})
			if err != nil || s.Broken != 1 {
				t.Fatalf("%d broken, error %v; want one", s.Broken, err)
			}
			if got, want := len(s.Outcomes), len(whole.Outcomes); got < want {
				t.Errorf("%d outcomes of %d", got, want)
			}
			if got, want := len(s.Calls), len(whole.Calls); got < want-2 {
				t.Errorf("%d calls of %d", got, want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, path := range ownFiles(f) {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { readDamaged(t, "fuzzed", data) })
}

// A file without an end is refused once a record is too long, and is not read on.
func TestEndlessRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 128 MiB")
	}
	for _, test := range []struct {
		format sessions.Format
		begin  string
	}{
		{sessions.Auto, ""},
		{sessions.OpenHands, `{"history":["`},
		{sessions.ClaudeCode, "{\"type\":\"user\"}\n"},
	} {
		src := &endless{begin: test.begin, rest: bytes.Repeat([]byte("x"), 1<<20)}
		_, err := sessions.Read("endless", src, sessions.Options{Format: test.format, SkipBad: true})
		if err == nil || !strings.Contains(err.Error(), "a record of more than 128 MiB") || !strings.HasPrefix(err.Error(), "sessions: endless:") {
			t.Errorf("%s: error %v", test.format, err)
		}
		if src.read > 4*sessions.MaxRecord {
			t.Errorf("%s: %d bytes were read", test.format, src.read)
		}
	}
}

// endless is a beginning and then one letter for ever.
type endless struct {
	begin string
	rest  []byte
	read  int
}

func (e *endless) Read(p []byte) (n int, err error) {
	if e.begin != "" {
		n = copy(p, e.begin)
		e.begin = e.begin[n:]
	} else {
		n = copy(p, e.rest)
	}
	e.read += n
	return n, nil
}
