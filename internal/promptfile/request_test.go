package promptfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/promptfile"
)

// everything has each key of a request file but template, for which template-file stands.
const everything = `
model: {name: m, context: 200000, media: [image/png]}
reserve: 5
measure: bytes
caching: true
shared: true
ttl: 1h
mark-conversation: true
load-skill-tool: load
strict: true
tenant: acme
template-file: t.txt
stable: [skills]
output-format: of
addendum: ad
skills:
- {name: s, description: d, body: b}
- {name: s2, file: t.txt}
now: 2026-11-30T01:02:03+01:00
timezone: Europe/Berlin
locale: de
instructions: in
context: co
facts: fa
notes: no
chunks: [{id: c, text: t, rank: -3}, {id: c2, file: t.txt}]
tools: [{name: f, description: d, schema: {type: object, a: 1.50}}, {name: load}]
history:
- {role: user, content: "1"}
- {role: assistant, content: [{type: tool_call, id: i, name: f, arguments: {x: 12}}]}
question: {role: user, content: [{type: text, text: q}]}
files: [{path: a/b.PNG}, {name: n, media-type: text/plain, path: t.txt}]
params: {temperature: 0.50, stop: [a]}
`

// zones knows one zone, on every machine.
func zones(name string) (*time.Location, error) {
	if name != "Europe/Berlin" {
		return nil, errors.New("unknown zone")
	}
	return time.FixedZone(name, 3600), nil
}

func TestReadRequest(t *testing.T) {
	files := fstest.MapFS{"t.txt": {Data: []byte("template {today}")}, "a/b.PNG": {Data: []byte{0xff, 0}}}
	doc, err := promptfile.ReadRequest([]byte(everything), "r.yaml", promptfile.RequestOptions{Zone: zones, Options: promptfile.Options{Open: files.Open,
		Set: []promptfile.Setting{{Key: "reserve", Value: "7", Origin: "--reserve"}, {Key: "locale", Value: "123", Origin: "--locale"}}}})
	if err != nil {
		t.Fatal(err)
	}
	in := request.Input{
		Tenant: "acme", Template: request.ParseTemplate("template {today}", []string{"skills"}), OutputFormat: "of", Addendum: "ad",
		Skills: []request.Skill{{Name: "s", Description: "d", Body: "b"}, {Name: "s2", Body: "template {today}"}},
		Now:    time.Date(2026, 11, 30, 0, 2, 3, 0, time.UTC), Locale: "123",
		Instructions: "in", Context: "co", Facts: "fa", Notes: "no",
		Chunks: []request.Chunk{{ID: "c", Text: "t", Rank: -3}, {ID: "c2", Text: "template {today}"}},
		History: []messages.Message{
			{Role: "user", Content: []messages.Block{messages.Text("1")}, Shape: messages.ShapeString},
			{Role: "assistant", Content: []messages.Block{{Kind: messages.KindToolCall, ID: "i", Name: "f", Value: `{"x":12}`}}}},
		Question: messages.TextMessage("user", "q"),
		Files:    []request.File{{Name: "b.PNG", MediaType: "image/png", Data: []byte{0xff, 0}}, {Name: "n", MediaType: "text/plain", Data: []byte("template {today}")}},
		Tools:    []request.Tool{{Name: "f", Description: "d", Schema: `{"a":1.5,"type":"object"}`}, {Name: "load"}},
		Params:   []messages.Member{{Name: "temperature", Value: "0.50"}, {Name: "stop", Value: `["a"]`}},
	}
	ignore := cmpopts.IgnoreFields(request.Input{}, "Template", "Zone", "Tools")
	if diff := cmp.Diff(in, doc.Input, ignore); diff != "" {
		t.Errorf("input (-want +got)\n%s", diff)
	}
	for i, tool := range doc.Input.Tools {
		if i == 0 && (tool.Name != "f" || !strings.Contains(string(tool.Schema), `"type":"object"`)) || i == 1 && (tool.Name != "load" || tool.Schema != "") {
			t.Errorf("tool %+v", tool)
		}
	}
	if doc.Input.Template.Version() != fingerprint.SumString("template {today}") || doc.Input.Zone.String() != "Europe/Berlin" {
		t.Error("template or zone")
	}
	cfg := doc.Config
	if cfg.Estimator.Name() != "bytes" {
		t.Errorf("measure %q", cfg.Estimator.Name())
	}
	cfg.Estimator = nil
	want := request.Config{Model: request.Model{Name: "m", ContextTokens: 200000, MediaTypes: []string{"image/png"}}, Reserve: 7, Caching: true, Shared: true,
		TTL: request.OneHour, MarkConversation: true, LoadSkillTool: "load", Strict: true}
	if diff := cmp.Diff(want, cfg); diff != "" {
		t.Errorf("config (-want +got)\n%s", diff)
	}
}

func TestRequestMistakes(t *testing.T) {
	const head = "model: {context: 9}\ntemplate: x\n"
	for _, test := range []struct{ name, src, want string }{
		{"nothing", "", "r.yaml: the request file is empty; want a mapping with keys such as template and question"},
		{"a list", "- a", "r.yaml:1: the request is a list; want a mapping with keys such as template and question"},
		{"two documents", head + "---\n" + head, "r.yaml:4: a second document; want one request in a file"},
		{"no template", "model: {context: 9}", "r.yaml:1: the request has no template; want the key template or template-file"},
		{"two templates", head + "template-file: t", "r.yaml:3: template and template-file together; want one of them"},
		{"no context", "template: x\nmodel: {name: m}", "r.yaml:1: the request has no model with its context; want model: {context: 200000}"},
		{"a model", "model: m", `r.yaml:1: model: the text "m"; want a mapping with name, context and media`},
		{"a key of the model", "model: {contxt: 9}", `r.yaml:1: model: unknown key "contxt"; did you mean context?`},
		{"a lifetime", head + "ttl: 2h", `r.yaml:3: ttl: the text "2h"; want 5m or 1h`},
		{"an instant", head + "now: yesterday", `r.yaml:3: now: the text "yesterday"; want an instant, such as 2026-01-31T12:00:00Z`},
		{"a zone", head + "timezone: Mars/Base", `r.yaml:3: timezone: the text "Mars/Base"; want the name of a time zone`},
		{"the machine's zone", head + "timezone: Local", `r.yaml:3: timezone: the text "Local"; want the name of a time zone`},
		{"a chunk without an id", head + "chunks:\n- {text: a}", "r.yaml:4: chunk 1 has no id; want the key id"},
		{"a text and a file", head + "chunks:\n- id: a\n  file: t\n  text: a", `r.yaml:6: chunk "a": file and text together; want one of them`},
		{"a body and a file", head + "skills:\n- {name: a, body: b, file: t}", `r.yaml:4: skill "a": body and file together; want one of them`},
		{"a rank", head + "chunks:\n- {id: a, rank: 0.5}", "r.yaml:4: chunk \"a\": rank: the number 0.5; want a decimal integer"},
		{"a file without a path", head + "files:\n- {name: a}", `r.yaml:4: file 1 has no path; want the key path`},
		{"a file that is not there", head + "files:\n- {path: a}", `r.yaml:4: file "a": path: "a" does not exist`},
		{"a tool twice", head + "tools:\n- {name: a}\n- {name: a}", `r.yaml:5: tool "a" stands twice; it is at line 4 already`},
		{"history", head + "history: a", `r.yaml:3: history: the text "a"; want a list of messages`},
		{"a message", head + "history:\n- a", `r.yaml:4: message 1 is the text "a"; want a mapping with role and content`},
		{"a block", head + "history:\n- {role: user, content: [{text: a}]}", "r.yaml:4: history: message 1: "},
		{"a question", head + "question: [a]", "r.yaml:3: question: a list; want a text"},
		{"parameters", head + "params: a", `r.yaml:3: params: the text "a"; want a mapping of further members of the body`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := promptfile.ReadRequest([]byte(test.src), "r.yaml", promptfile.RequestOptions{Zone: zones, Options: promptfile.Options{Open: fstest.MapFS{"t": {}}.Open}}); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestExampleRequest(t *testing.T) {
	const name = "../../examples/request.yaml"
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	folder := promptfile.NewFolder(filepath.Dir(name))
	defer folder.Close()
	doc, err := promptfile.ReadRequest(src, name, promptfile.RequestOptions{Zone: zones, Options: promptfile.Options{Open: folder.Open}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := request.New(doc.Config)
	if err != nil {
		t.Fatal(err)
	}
	res, err := a.Build(doc.Input)
	if err != nil || len(res.Warnings) > 0 || res.Stable == "" {
		t.Errorf("%v, %v", res.Warnings, err)
	}
}
