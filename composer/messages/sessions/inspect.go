package sessions

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
)

// readInspect reads a log of inspect_ai: a document, or an archive with a document for each sample.
func (r *reader) readInspect() error {
	if !bytes.HasPrefix(r.doc, []byte("PK\x03\x04")) {
		aside := func(string) string { return "about the evaluation" }
		_, err := r.eachIn("samples", aside, func(path string, v wire.Member) error { return r.sample(v, path) })
		return err
	}
	return r.readArchive()
}

// An inspectSample is one run of the task.
type inspectSample struct {
	r      *reader
	thread string
	texts  map[string]messages.JSON                // what attachment:// and tc:// stand for
	pool   []wire.Member                           // messages that events refer to by place
	known  map[fingerprint.Digest]messages.Message // what was read, by the bytes: events repeat their messages
}

func (r *reader) sample(v wire.Member, path string) error {
	members, err := v.Read().Members("a sample, an object")
	if err != nil {
		return err
	}
	s := inspectSample{r: r, texts: map[string]messages.JSON{}, known: map[fingerprint.Digest]messages.Message{}}
	var id, epoch string
	var events, list *wire.Member
	eventsPath := path + "/events"
	for i, m := range members {
		switch text, _ := m.Text(); m.Name {
		case "id":
			if id = text; id == "" {
				id = string(m.Value)
			}
		case "epoch":
			epoch = string(m.Value)
		case "messages":
			list = &members[i]
		case "events":
			if m.Kind() == '[' {
				events = &members[i]
			}
		case "attachments":
			err = s.attachments(m)
		case "message_pool":
			s.pool, err = values(m)
		case "events_data":
			if pool, ok := wire.Path(m, "messages"); ok {
				s.pool, err = values(pool)
			}
		case "transcript": // the first versions
			if e, ok := wire.Path(m, "events"); ok && e.Kind() == '[' && events == nil {
				events, eventsPath = &e, path+"/transcript/events"
			}
			if content, ok := wire.Path(m, "content"); ok {
				err = s.attachments(content)
			}
		}
		if err != nil {
			return err
		}
	}
	s.thread = id
	if epoch != "" {
		s.thread += "/" + epoch
	}
	calls := len(r.out.Calls)
	if events != nil {
		if err := s.events(*events, eventsPath); err != nil {
			return err
		}
	}
	if list == nil {
		return nil
	}
	if len(r.out.Calls) > calls {
		r.note(r.lineOf(*list), path+"/messages", Aside, "repeats what the model events were given")
		return nil
	}
	c := r.conversation(s.thread, OpenAIChat)
	return r.each(*list, path+"/messages", func(at string, v wire.Member) error {
		line := r.lineOf(v)
		m, err := s.message(v)
		if err != nil {
			return err
		}
		if m.Role == messages.Assistant {
			c.call(Call{Line: line})
		}
		c.add(m, r.note(line, at, Aside, noCall))
		return nil
	})
}

func values(list wire.Member) ([]wire.Member, error) {
	var out []wire.Member
	err := list.Each("a list", func(_ int, v wire.Member) error {
		out = append(out, v)
		return nil
	})
	return out, err
}

func (s *inspectSample) attachments(m wire.Member) error {
	if m.Kind() != '{' {
		return nil
	}
	members, err := m.Read().Members("attachments, an object")
	for _, a := range members {
		s.texts[a.Name] = messages.JSON(a.Value)
	}
	return err
}

func (s *inspectSample) events(list wire.Member, path string) error {
	return s.r.each(list, path, func(at string, v wire.Member) error {
		line := s.r.lineOf(v)
		if kind := wire.TextAt(v, "event"); kind != "model" {
			s.r.note(line, at, Aside, "an event of kind "+kind)
			return nil
		}
		call, err := s.model(v)
		if err != nil {
			return err
		}
		call.Line, call.Thread = line, s.thread
		s.r.share(&call)
		s.r.note(line, at, Used, "")
		s.r.add(call)
		return nil
	})
}

// model reads a model event: the messages are inspect's own, the tools those of the request itself where it is recorded.
func (s *inspectSample) model(event wire.Member) (Call, error) {
	members, err := event.Read().Members("a model event, an object")
	if err != nil {
		return Call{}, err
	}
	call := Call{API: OpenAIChat}
	var exact, own []messages.ToolSpec
	for _, m := range members {
		switch text, _ := m.Text(); m.Name {
		case "model":
			call.Model = text
		case "timestamp":
			call.Time = parseTime(text)
		case "tools":
			if m.Kind() == '[' {
				if own, err = s.tools(m); err != nil {
					return call, err
				}
			}
		case "call":
			if tools, ok := wire.Path(m, "request", "tools"); ok && tools.Kind() == '[' {
				if exact, err = s.tools(tools); err != nil {
					return call, err
				}
			}
		case "output":
			if usage, ok := wire.Path(m, "usage"); ok {
				call.Usage = inspectUsage(usage)
			}
		case "input":
			list, err := values(m)
			if err != nil {
				return call, err
			}
			for _, v := range list {
				message, err := s.message(v)
				if err != nil {
					return call, err
				}
				call.Messages = append(call.Messages, message)
			}
		case "input_refs":
			if m.Kind() != '[' {
				continue
			}
			if err := s.referred(&call, m); err != nil {
				return call, err
			}
		}
	}
	call.Tools = toolsFor(OpenAIChat, own)
	if len(exact) > 0 {
		call.Tools = exact
	}
	return call, nil
}

// referred reads messages that are given as ranges of the sample's pool.
func (s *inspectSample) referred(call *Call, refs wire.Member) error {
	ranges, err := values(refs)
	if err != nil {
		return err
	}
	for _, ref := range ranges {
		var from, to int64
		if bounds, err := values(ref); err == nil && len(bounds) == 2 {
			from, to = integer(bounds[0]), integer(bounds[1])
		} else if ref.Kind() == '0' {
			from = integer(ref)
			to = from + 1
		} else {
			return ref.Errorf("a reference to messages: want a range of two places")
		}
		if from > to || to > int64(len(s.pool)) {
			return ref.Errorf("messages %d to %d are not in the sample, which has %d", from, to, len(s.pool))
		}
		const each = 128 // what a message takes in the list of a call, about
		if err := s.r.charge(each * (to - from)); err != nil {
			return ref.Errorf("%w", err)
		}
		for _, v := range s.pool[from:to] {
			m, err := s.message(v)
			if err != nil {
				return err
			}
			call.Messages = append(call.Messages, m)
		}
	}
	return nil
}

func (s *inspectSample) tools(list wire.Member) ([]messages.ToolSpec, error) {
	resolved, err := s.resolve(list)
	if err != nil {
		return nil, err
	}
	v, err := wire.Read([]byte(resolved)).Value("")
	if err != nil {
		return nil, err
	}
	tools, err := wire.ReadTools(v.Read())
	if err != nil {
		return nil, list.Errorf("%w", unplaced(err))
	}
	return tools, nil
}

// message reads a message as inspect has it, with its attachments in their places.
func (s *inspectSample) message(v wire.Member) (messages.Message, error) {
	name := fingerprint.Sum(v.Value)
	if m, again := s.known[name]; again {
		return m, nil
	}
	resolved, err := s.resolve(v)
	if err != nil {
		return messages.Message{}, err
	}
	own, err := wire.Read([]byte(resolved)).Value("")
	if err != nil {
		return messages.Message{}, err
	}
	m, err := chatMessage(own)
	if err != nil {
		return m, v.Errorf("%w", unplaced(err))
	}
	for i := range m.Content {
		nameBlocks(&m.Content[i])
	}
	s.known[name] = m
	return m, nil
}

// nameBlocks gives inspect's own parts the kinds they are of.
func nameBlocks(b *messages.Block) {
	for i := range b.Content {
		nameBlocks(&b.Content[i])
	}
	switch b.Kind {
	case "openai:image":
		if image, ok := wire.Find(b.Extra, "image"); ok {
			b.Kind = messages.KindImage
			detail, _ := wire.Find(b.Extra, "detail")
			b.Extra = wire.ImageURL(wire.Plain(image), detail)
		}
	case "reasoning":
		if text, ok := wire.Find(b.Extra, "reasoning"); ok {
			if text, ok := wire.Unquote(text); ok {
				b.Kind, b.Text = messages.KindThinking, text
				b.Extra = slices.DeleteFunc(b.Extra, func(m messages.Member) bool { return m.Name == "reasoning" })
			}
		}
	}
}

var attachmentPrefixes = []string{"attachment://", "tc://"}

// resolve returns the value with every string that is an attachment's address replaced by what it stands for.
func (s *inspectSample) resolve(v wire.Member) (messages.JSON, error) {
	if err := s.r.charge(int64(len(v.Value))); err != nil {
		return "", v.Errorf("%w", err)
	}
	if !bytes.Contains(v.Value, []byte("://")) && !bytes.Contains(v.Value, []byte(`\`)) {
		return messages.JSON(v.Value), nil
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(v.Value))
	var out []byte
	done := 0
	for {
		if d.PeekKind() != '"' {
			if _, err := d.ReadToken(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return "", v.Errorf("%w", err) // it was read before
			}
			continue
		}
		raw, err := d.ReadValue() // as it is spelled: any character may be escaped
		if err != nil {
			return "", v.Errorf("%w", err)
		}
		if kind, length := d.StackIndex(d.StackDepth()); kind == '{' && length%2 == 1 {
			continue // a name
		}
		text, _ := wire.Member{Value: raw}.Text()
		for _, prefix := range attachmentPrefixes {
			name, ok := strings.CutPrefix(text, prefix)
			if !ok {
				continue
			}
			value, ok := s.texts[name]
			if !ok {
				return "", v.Errorf("attachment %q is not in the sample", text)
			}
			if err := s.r.charge(int64(len(value))); err != nil {
				return "", v.Errorf("attachment %q: %w", text, err)
			}
			end := int(d.InputOffset())
			out = append(append(out, v.Value[done:end-len(raw)]...), value...)
			done = end
		}
	}
	return messages.JSON(append(out, v.Value[done:]...)), nil
}
