package request

import (
	"encoding/base64"
	"strings"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/fingerprint"
)

// mediaType returns the type in lower case without parameters, or "" for what is none.
func mediaType(text string) string {
	text, _, _ = strings.Cut(text, ";")
	text = strings.ToLower(strings.TrimSpace(text))
	kind, subtype, found := strings.Cut(text, "/")
	if !found || kind == "" || subtype == "" || strings.ContainsAny(text, " \t") {
		return ""
	}
	return text
}

// reads reports whether the model reads the type, which is in lower case.
func (m *Model) reads(media string) bool {
	kind, _, _ := strings.Cut(media, "/")
	for _, t := range m.MediaTypes {
		if t = mediaType(t); t == media || t == kind+"/*" {
			return true
		}
	}
	return false
}

// inline returns the question's files as blocks, and a warning for each that is left out. Images become image blocks,
// everything else documents, with their bytes in base64 as [messages] has them from Anthropic's bodies.
func (m *Model) inline(files []File) (blocks []messages.Block, dropped []Warning) {
	for _, f := range files {
		media := mediaType(f.MediaType)
		if media == "" || len(f.Data) == 0 || !m.reads(media) {
			dropped = append(dropped, Warning{Code: FileDropped, Name: f.Name})
			continue
		}
		source := append([]byte(`{"data":"`), base64.StdEncoding.EncodeToString(f.Data)...)
		source = append(source, `","media_type":`...)
		source = fingerprint.AppendJSONString(source, media)
		source = append(source, `,"type":"base64"}`...)
		b := messages.Block{Kind: messages.KindDocument, Extra: []messages.Member{{Name: "source", Value: messages.JSON(source)}}}
		if strings.HasPrefix(media, "image/") {
			b.Kind = messages.KindImage
		} else if f.Name != "" {
			b.Extra = append(b.Extra, messages.Member{Name: "title", Value: messages.JSON(fingerprint.AppendJSONString(nil, f.Name))})
		}
		blocks = append(blocks, b)
	}
	return blocks, dropped
}
