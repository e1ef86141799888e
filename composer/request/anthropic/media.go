package anthropic

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/quirehq/quire/composer/messages"
)

// media gives an image or a file a source, from whatever member of OpenAI's APIs holds it.
func media(b messages.Block) (messages.Block, error) {
	members := map[string]messages.JSON{}
	for _, m := range b.Extra {
		members[m.Name] = m.Value
	}
	if members["source"] != "" {
		if b.Kind == messages.KindFile {
			b.Kind = messages.KindDocument
		}
		return b, nil
	}
	var url, title string
	switch {
	case members["image_url"] != "":
		url = plain(members["image_url"])
		var held struct {
			URL string `json:"url"`
		}
		if json.Unmarshal([]byte(members["image_url"]), &held) == nil {
			url = held.URL
		}
	case members["file"] != "", members["file_data"] != "":
		var held struct {
			Data string `json:"file_data"`
			Name string `json:"filename"`
		}
		if members["file_data"] != "" {
			held.Data = plain(members["file_data"])
		} else if err := json.Unmarshal([]byte(members["file"]), &held); err != nil {
			return b, fmt.Errorf("file: %w", err)
		}
		url, title = held.Data, held.Name
		if name := members["filename"]; name != "" {
			title = plain(name)
		}
	}
	source, err := source(url)
	if err != nil {
		return b, fmt.Errorf("%s: %w", b.Kind, err)
	}
	out := messages.Block{Kind: b.Kind, Cache: b.Cache, Extra: []messages.Member{{Name: "source", Value: source}}}
	if b.Kind != messages.KindImage {
		out.Kind = messages.KindDocument
		if title != "" {
			out.Extra = append(out.Extra, messages.Member{Name: "title", Value: quote(title)})
		}
	}
	return out, nil
}

// source spells the place of the bytes.
func source(url string) (messages.JSON, error) {
	if data, ok := strings.CutPrefix(url, "data:"); ok {
		if media, bytes, ok := strings.Cut(data, ";base64,"); ok {
			return `{"data":` + quote(bytes) + `,"media_type":` + quote(media) + `,"type":"base64"}`, nil
		}
	}
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return `{"type":"url","url":` + quote(url) + `}`, nil
	}
	return "", fmt.Errorf("no form in this API; want bytes in base64 or a URL")
}
