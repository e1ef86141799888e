package promptfile

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
	"time"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fragments"
)

// A RequestDocument is a request file that was read: what package request makes one model call of.
type RequestDocument struct {
	Name   string // of the source, as it was given to [ReadRequest]
	Config request.Config
	Input  request.Input
}

// RequestOptions say how a request file is read.
type RequestOptions struct {
	// Options are those of prompt files: Set replaces keys of the request.
	Options

	// Zone finds a time zone by its name, as time.LoadLocation does. With nil the only zone is UTC.
	Zone func(name string) (*time.Location, error)
}

// ReadRequest reads a request file, of at most [MaxSource] bytes and of one document. Every error is an [Error].
func ReadRequest(src []byte, name string, opts RequestOptions) (*RequestDocument, error) {
	s := newSource(src, name, "request", opts.Options)
	if len(src) > MaxSource {
		return nil, s.fail(0, "the request file has more than 64 MiB", "keep long texts in files of their own")
	}
	roots, err := s.documents(opts.JSON)
	if err != nil {
		return nil, err
	}
	if len(roots) > 1 {
		return nil, s.fail(roots[1].line, "a second document", "want one request in a file")
	}
	d := decoder{source: s, files: files{open: opts.Open}}
	root := &roots[0]
	if root.kind != mapping {
		return nil, d.fail(root.line, "the request is "+root.String(), "want a mapping with keys such as template and question")
	}
	r := requestFile{zone: opts.Zone}
	if err := decode(&d, root, requestFields(), &r); err != nil {
		return nil, err
	}
	for _, set := range opts.Set {
		o := decoder{source: &source{name: set.Origin}, outside: true}
		if err := decodeOne(&o, set.Key, &node{text: set.Value}, requestFields(), &r); err != nil {
			return nil, err
		}
	}
	switch {
	case r.hasTemplate > 1:
		return nil, d.fail(root.line, "the request has a template and a template-file", "want one of them")
	case r.hasTemplate == 0:
		return nil, d.fail(root.line, "the request has no template", "want the key template or template-file")
	case r.config.Model.ContextTokens == 0:
		return nil, d.fail(root.line, "the request has no model with its context", "want model: {context: 200000}")
	}
	r.input.Template = request.ParseTemplate(r.template, r.stable)
	return &RequestDocument{Name: name, Config: r.config, Input: r.input}, nil
}

// Locate turns an error of package request into an [Error]. It names the part; no line is known.
func (doc *RequestDocument) Locate(err error) error {
	return &Error{File: doc.Name, What: strings.TrimPrefix(err.Error(), "request: "), Err: err}
}

// A requestFile is what requestFields fill in.
type requestFile struct {
	config      request.Config
	input       request.Input
	template    string
	hasTemplate int
	stable      []string
	zone        func(name string) (*time.Location, error)
}

var errUnknownZone = errors.New("unknown time zone")

func requestFields() []field[requestFile] {
	text := func(key string, into func(*requestFile) *string) field[requestFile] {
		return field[requestFile]{key: key, read: func(d *decoder, n *node, r *requestFile) (err error) {
			*into(r), err = d.text(n)
			return err
		}}
	}
	flag := func(key string, into func(*requestFile) *bool) field[requestFile] {
		return field[requestFile]{key: key, read: func(d *decoder, n *node, r *requestFile) (err error) {
			*into(r), err = d.boolean(n)
			return err
		}}
	}
	return []field[requestFile]{
		{key: "model", read: func(d *decoder, n *node, r *requestFile) error {
			if n.kind != mapping {
				return d.wrong(n, "want a mapping with name, context and media")
			}
			return decode(d, n, modelFields(), &r.config.Model)
		}},
		{key: "reserve", read: func(d *decoder, n *node, r *requestFile) (err error) {
			r.config.Reserve, err = d.integer(n, 0, math.MaxInt64)
			return err
		}},
		{key: "measure", read: func(d *decoder, n *node, r *requestFile) error {
			m, err := measureByName("chars/4")
			if err == nil {
				err = choose(d, n, measureNames(), measureByName, &m)
			}
			r.config.Estimator = &m
			return err
		}},
		flag("caching", func(r *requestFile) *bool { return &r.config.Caching }),
		flag("shared", func(r *requestFile) *bool { return &r.config.Shared }),
		flag("mark-conversation", func(r *requestFile) *bool { return &r.config.MarkConversation }),
		flag("strict", func(r *requestFile) *bool { return &r.config.Strict }),
		{key: "ttl", read: func(d *decoder, n *node, r *requestFile) error {
			return choose(d, n, namesOf(request.ParseTTL), request.ParseTTL, &r.config.TTL)
		}},
		text("load-skill-tool", func(r *requestFile) *string { return &r.config.LoadSkillTool }),
		text("tenant", func(r *requestFile) *string { return &r.input.Tenant }),
		{key: "template", read: func(d *decoder, n *node, r *requestFile) (err error) {
			r.hasTemplate++
			r.template, err = d.text(n)
			return err
		}},
		{key: "template-file", read: func(d *decoder, n *node, r *requestFile) (err error) {
			r.hasTemplate++
			r.template, err = d.file(n)
			return err
		}},
		{key: "stable", read: func(d *decoder, n *node, r *requestFile) (err error) {
			r.stable, err = d.texts(n)
			return err
		}},
		text("output-format", func(r *requestFile) *string { return &r.input.OutputFormat }),
		text("addendum", func(r *requestFile) *string { return &r.input.Addendum }),
		{key: "skills", read: func(d *decoder, n *node, r *requestFile) error {
			return list(d, n, "skill", &r.input.Skills, skillFields(), func(s *request.Skill, _ int) (string, error) { return s.Name, nil })
		}},
		{key: "now", read: func(d *decoder, n *node, r *requestFile) error {
			written, err := d.text(n)
			if err != nil {
				return err
			}
			if r.input.Now, err = time.Parse(time.RFC3339, written); err != nil {
				return d.wrong(n, "want an instant, such as 2026-01-31T12:00:00Z")
			}
			return nil
		}},
		{key: "timezone", read: func(d *decoder, n *node, r *requestFile) error {
			name, err := d.text(n)
			if err != nil {
				return err
			}
			r.input.Zone = time.UTC
			if name == "UTC" {
				return nil
			}
			if name == "" || name == "Local" || r.zone == nil { // the machine's own zone is no value
				err = errUnknownZone
			} else {
				r.input.Zone, err = r.zone(name)
			}
			if err != nil {
				return d.wrong(n, "want the name of a time zone, such as Europe/Berlin or UTC")
			}
			return nil
		}},
		text("locale", func(r *requestFile) *string { return &r.input.Locale }),
		text("instructions", func(r *requestFile) *string { return &r.input.Instructions }),
		text("context", func(r *requestFile) *string { return &r.input.Context }),
		text("facts", func(r *requestFile) *string { return &r.input.Facts }),
		text("notes", func(r *requestFile) *string { return &r.input.Notes }),
		{key: "chunks", read: func(d *decoder, n *node, r *requestFile) error {
			return list(d, n, "chunk", &r.input.Chunks, chunkFields(), func(c *request.Chunk, line int) (string, error) {
				if c.ID == "" {
					return "-", d.fail(line, "a chunk has no id", "want the key id")
				}
				return c.ID, nil
			})
		}},
		{key: "tools", read: func(d *decoder, n *node, r *requestFile) error {
			var tools []fragments.Tool
			err := list(d, n, "tool", &tools, toolFields(), func(t *fragments.Tool, _ int) (string, error) { return t.Name, nil })
			first := make(map[string]int, len(tools)) // the line of a name
			for i, t := range tools {
				line := n.items[i].line
				if at, twice := first[t.Name]; twice {
					return d.fail(line, "tool "+quoted(t.Name)+" stands twice", fmt.Sprintf("it is at line %d already, and a model calls a tool by its name", at))
				}
				first[t.Name] = line
				schema := messages.JSON(t.Schema.String())
				if schema == "{}" { // of anything, or none at all
					schema = ""
				}
				r.input.Tools = append(r.input.Tools, request.Tool{Name: t.Name, Description: t.Description, Schema: schema})
			}
			return err
		}},
		{key: "history", read: func(d *decoder, n *node, r *requestFile) error {
			if n.kind != sequence {
				return d.wrong(n, "want a list of messages")
			}
			for i := range n.items {
				m, err := d.message(&n.items[i], fmt.Sprintf("message %d", i+1))
				if err != nil {
					return err
				}
				r.input.History = append(r.input.History, m)
			}
			return nil
		}},
		{key: "question", read: func(d *decoder, n *node, r *requestFile) (err error) {
			if n.kind == mapping {
				r.input.Question, err = d.message(n, "question")
				return err
			}
			question, err := d.text(n)
			r.input.Question = messages.TextMessage(messages.User, question)
			return err
		}},
		{key: "files", read: func(d *decoder, n *node, r *requestFile) error {
			return list(d, n, "file", &r.input.Files, fileFields(), func(f *request.File, line int) (string, error) {
				if f.Name != "" && f.Data == nil {
					return f.Name, d.fail(line, "the file "+quoted(f.Name)+" has no path", "want the key path")
				}
				return f.Name, nil
			})
		}},
		{key: "params", read: func(d *decoder, n *node, r *requestFile) error {
			if n.kind != mapping {
				return d.wrong(n, "want a mapping of further members of the body")
			}
			for i := range n.items {
				value, err := d.appendJSON(nil, &n.items[i])
				if err != nil {
					return err
				}
				r.input.Params = append(r.input.Params, messages.Member{Name: n.keys[i].text, Value: messages.JSON(value)})
			}
			return nil
		}},
	}
}

func modelFields() []field[request.Model] {
	return []field[request.Model]{
		{key: "name", read: func(d *decoder, n *node, m *request.Model) (err error) { m.Name, err = d.text(n); return err }},
		{key: "context", read: func(d *decoder, n *node, m *request.Model) (err error) {
			m.ContextTokens, err = d.integer(n, 1, math.MaxInt64)
			return err
		}},
		{key: "media", read: func(d *decoder, n *node, m *request.Model) (err error) { m.MediaTypes, err = d.texts(n); return err }},
	}
}

func skillFields() []field[request.Skill] {
	return []field[request.Skill]{
		{key: "name", read: func(d *decoder, n *node, s *request.Skill) (err error) { s.Name, err = d.text(n); return err }},
		{key: "description", read: func(d *decoder, n *node, s *request.Skill) (err error) { s.Description, err = d.text(n); return err }},
		{key: "body", read: func(d *decoder, n *node, s *request.Skill) (err error) { s.Body, err = d.text(n); return err }},
		{key: "file", read: func(d *decoder, n *node, s *request.Skill) (err error) { s.Body, err = d.file(n); return err }},
	}
}

func chunkFields() []field[request.Chunk] {
	return []field[request.Chunk]{
		{key: "id", read: func(d *decoder, n *node, c *request.Chunk) (err error) { c.ID, err = d.text(n); return err }},
		{key: "text", read: func(d *decoder, n *node, c *request.Chunk) (err error) { c.Text, err = d.text(n); return err }},
		{key: "file", read: func(d *decoder, n *node, c *request.Chunk) (err error) { c.Text, err = d.file(n); return err }},
		{key: "rank", read: func(d *decoder, n *node, c *request.Chunk) (err error) {
			c.Rank, err = d.integer(n, math.MinInt64, math.MaxInt64)
			return err
		}},
	}
}

func fileFields() []field[request.File] {
	return []field[request.File]{
		{key: "name", read: func(d *decoder, n *node, f *request.File) (err error) { f.Name, err = d.text(n); return err }},
		{key: "media-type", read: func(d *decoder, n *node, f *request.File) (err error) { f.MediaType, err = d.text(n); return err }},
		{key: "path", read: func(d *decoder, n *node, f *request.File) error {
			content, err := d.bytes(n)
			f.Data = []byte(content)
			if f.MediaType == "" {
				f.MediaType = mediaTypeOf(n.text)
			}
			if f.Name == "" {
				f.Name = path.Base(n.text)
			}
			return err
		}},
	}
}

// mediaTypeOf tells the type of a file that models read by its name; "" where it does not.
func mediaTypeOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	case ".pdf":
		return "application/pdf"
	}
	return ""
}

// message reads a message with role and content, in the form that messages.ParseMessage takes.
func (d *decoder) message(n *node, label string) (messages.Message, error) {
	if n.kind != mapping {
		return messages.Message{}, d.fail(n.line, label+" is "+n.String(), "want a mapping with role and content")
	}
	var m messages.Message
	err := d.within(label, func() error {
		src, err := d.appendJSON(nil, n)
		if err != nil {
			return err
		}
		if m, err = messages.ParseMessage(src); err != nil {
			return d.fail(n.line, d.prefix()+strings.TrimPrefix(err.Error(), "messages: "), "want a mapping with role and content")
		}
		return nil
	})
	return m, err
}
