package wire

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer/messages"
)

// Media is an image or a file of a block, whichever API spelled it.
type Media struct {
	Kind   messages.Kind // image or file; any other has no form in an API here
	URL    string        // where the bytes are, or they themselves: data:TYPE;base64,BYTES; "" where only the ID is known
	ID     string        // of what was uploaded to OpenAI
	Name   string        // of the file
	Detail messages.JSON // how closely OpenAI's models look at the image
}

// ReadMedia reads the spellings of OpenAI's two APIs, of Anthropic and of Gemini. What names neither bytes nor a place has
// no URL and no ID.
func ReadMedia(b *messages.Block) (Media, error) {
	held := map[string]Member{}
	for _, m := range b.Extra {
		v, err := Read([]byte(m.Value)).Whole()
		if err != nil {
			return Media{}, fmt.Errorf("%s: %w", m.Name, err)
		}
		held[m.Name] = v
	}
	text := func(member string, way ...string) string { return TextAt(held[member], way...) }
	m := Media{
		Kind:   b.Kind,
		URL:    cmp.Or(text("image_url"), text("image_url", "url"), text("file", "file_data"), text("file_data"), text("file_url")),
		ID:     cmp.Or(text("file", "file_id"), text("file_id")),
		Name:   cmp.Or(text("title"), text("filename"), text("file", "filename")),
		Detail: held["detail"].JSON(),
	}
	if m.Kind == messages.KindDocument {
		m.Kind = messages.KindFile
	}
	if detail, ok := Path(held["image_url"], "detail"); ok {
		m.Detail = detail.JSON()
	}
	if m.URL != "" {
		return m, nil
	}
	switch text("source", "type") {
	case "base64":
		m.URL = "data:" + text("source", "media_type") + ";base64," + text("source", "data")
	case "url":
		m.URL = text("source", "url")
	case "":
		if data := text("inlineData", "data"); data != "" {
			m.URL = "data:" + text("inlineData", "mimeType") + ";base64," + data
		}
	}
	return m, nil
}

// Inline returns the type and the bytes in base64, where the block holds them.
func (m Media) Inline() (mime, bytes string, ok bool) {
	data, ok := strings.CutPrefix(m.URL, "data:")
	if !ok {
		return "", "", false
	}
	return strings.Cut(data, ";base64,")
}

var errNoForm = errors.New("no form in this API; want bytes in base64 or a URL")

// Anthropic returns a block of Anthropic's API.
func (m Media) Anthropic() (messages.Block, error) {
	b := messages.Block{Kind: m.Kind}
	var source messages.JSON
	if mime, bytes, ok := m.Inline(); ok {
		source = `{"type":"base64","media_type":` + Quote(mime) + `,"data":` + Quote(bytes) + `}`
	} else if strings.HasPrefix(m.URL, "https://") || strings.HasPrefix(m.URL, "http://") {
		source = `{"type":"url","url":` + Quote(m.URL) + `}`
	}
	if source == "" || m.Kind != messages.KindImage && m.Kind != messages.KindFile {
		return b, errNoForm
	}
	b.Extra = []messages.Member{{Name: "source", Value: source}}
	if m.Kind == messages.KindFile {
		b.Kind = messages.KindDocument
		if m.Name != "" {
			b.Extra = append(b.Extra, messages.Member{Name: "title", Value: Quote(m.Name)})
		}
	}
	return b, nil
}

// Chat returns a part of chat completions.
func (m Media) Chat() (messages.Block, error) {
	b := messages.Block{Kind: m.Kind}
	_, _, inline := m.Inline()
	switch {
	case m.Kind == messages.KindImage && m.URL != "":
		b.Extra = ImageURL(m.URL, m.Detail)
	case m.Kind == messages.KindFile && inline:
		b.Extra = []messages.Member{{Name: "file", Value: `{"filename":` + Quote(m.name()) + `,"file_data":` + Quote(m.URL) + `}`}}
	case m.Kind == messages.KindFile && m.URL != "":
		return b, errors.New("chat completions take no file by its URL")
	case m.Kind == messages.KindFile && m.ID != "":
		b.Extra = []messages.Member{{Name: "file", Value: `{"file_id":` + Quote(m.ID) + `}`}}
	default:
		return b, errNoForm
	}
	return b, nil
}

// ImageURL returns the members of an image of chat completions; the detail may be "".
func ImageURL(url string, detail messages.JSON) []messages.Member {
	value := `{"url":` + Quote(url)
	if detail != "" {
		value += `,"detail":` + detail
	}
	return []messages.Member{{Name: "image_url", Value: value + `}`}}
}

// Responses returns a part of the responses API.
func (m Media) Responses() (messages.Block, error) {
	b := messages.Block{Kind: m.Kind}
	add := func(name string, value messages.JSON) {
		b.Extra = append(b.Extra, messages.Member{Name: name, Value: value})
	}
	_, _, inline := m.Inline()
	switch {
	case m.Kind != messages.KindImage && m.Kind != messages.KindFile, m.URL == "" && m.ID == "":
		return b, errNoForm
	case m.URL == "":
		add("file_id", Quote(m.ID))
	case m.Kind == messages.KindImage:
		add("image_url", Quote(m.URL))
	case inline:
		add("file_data", Quote(m.URL))
		add("filename", Quote(m.name()))
	default:
		add("file_url", Quote(m.URL))
	}
	if m.Kind == messages.KindImage && m.Detail != "" {
		add("detail", m.Detail)
	}
	return b, nil
}

// name returns a name for bytes: OpenAI's APIs want one.
func (m Media) name() string { return cmp.Or(m.Name, "file") }
