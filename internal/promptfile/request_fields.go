package promptfile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
	"time"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fragments"
)

// A requestFile is what requestFields fill in.
type requestFile struct {
	config      request.Config
	input       request.Input
	template    string
	hasTemplate bool
	stable      []string
	zone        func(name string) (*time.Location, error)
}

var errUnknownZone = errors.New("unknown time zone")

func requestFields() []field[requestFile] {
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
			r.config.Estimator = new(measure.Measure)
			return choose(d, n, measureNames(), measureByName, r.config.Estimator)
		}},
		boolField("caching", func(r *requestFile) *bool { return &r.config.Caching }),
		boolField("shared", func(r *requestFile) *bool { return &r.config.Shared }),
		boolField("mark-conversation", func(r *requestFile) *bool { return &r.config.MarkConversation }),
		boolField("strict", func(r *requestFile) *bool { return &r.config.Strict }),
		{key: "ttl", read: func(d *decoder, n *node, r *requestFile) error {
			return choose(d, n, namesOf(request.ParseTTL), request.ParseTTL, &r.config.TTL)
		}},
		textField("load-skill-tool", func(r *requestFile) *string { return &r.config.LoadSkillTool }),
		textField("tenant", func(r *requestFile) *string { return &r.input.Tenant }),
		textField("template", func(r *requestFile) *string { r.hasTemplate = true; return &r.template }),
		fileField("template-file", func(r *requestFile) *string { r.hasTemplate = true; return &r.template }).unless("template"),
		textsField("stable", func(r *requestFile) *[]string { return &r.stable }),
		textField("output-format", func(r *requestFile) *string { return &r.input.OutputFormat }),
		textField("addendum", func(r *requestFile) *string { return &r.input.Addendum }),
		{key: "skills", read: func(d *decoder, n *node, r *requestFile) error {
			return list(d, n, "skill", &r.input.Skills, skillFields(), nil)
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
		textField("locale", func(r *requestFile) *string { return &r.input.Locale }),
		textField("instructions", func(r *requestFile) *string { return &r.input.Instructions }),
		textField("context", func(r *requestFile) *string { return &r.input.Context }),
		textField("facts", func(r *requestFile) *string { return &r.input.Facts }),
		textField("notes", func(r *requestFile) *string { return &r.input.Notes }),
		{key: "chunks", read: func(d *decoder, n *node, r *requestFile) error {
			return list(d, n, "chunk", &r.input.Chunks, chunkFields(), nil)
		}},
		{key: "tools", read: func(d *decoder, n *node, r *requestFile) error {
			var tools []fragments.Tool
			if err := list(d, n, "tool", &tools, toolFields(), nil); err != nil {
				return err
			}
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
			return nil
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
			return list(d, n, "file", &r.input.Files, fileFields(), nil)
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
		textField("name", func(m *request.Model) *string { return &m.Name }),
		{key: "context", read: func(d *decoder, n *node, m *request.Model) (err error) {
			m.ContextTokens, err = d.integer(n, 1, math.MaxInt64)
			return err
		}},
		textsField("media", func(m *request.Model) *[]string { return &m.MediaTypes }),
	}
}

func skillFields() []field[request.Skill] {
	return []field[request.Skill]{
		textField("name", func(s *request.Skill) *string { return &s.Name }),
		textField("description", func(s *request.Skill) *string { return &s.Description }),
		textField("body", func(s *request.Skill) *string { return &s.Body }),
		fileField("file", func(s *request.Skill) *string { return &s.Body }).unless("body"),
	}
}

func chunkFields() []field[request.Chunk] {
	return []field[request.Chunk]{
		textField("id", func(c *request.Chunk) *string { return &c.ID }),
		textField("text", func(c *request.Chunk) *string { return &c.Text }),
		fileField("file", func(c *request.Chunk) *string { return &c.Text }).unless("text"),
		{key: "rank", read: func(d *decoder, n *node, c *request.Chunk) (err error) {
			c.Rank, err = d.integer(n, math.MinInt64, math.MaxInt64)
			return err
		}},
	}
}

func fileFields() []field[request.File] {
	return []field[request.File]{
		{key: "path", read: func(d *decoder, n *node, f *request.File) error {
			content, err := d.bytes(n)
			f.Data = []byte(content)
			f.MediaType = cmp.Or(f.MediaType, mediaTypeOf(n.text))
			f.Name = cmp.Or(f.Name, path.Base(n.text))
			return err
		}},
		textField("name", func(f *request.File) *string { return &f.Name }),
		textField("media-type", func(f *request.File) *string { return &f.MediaType }),
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
