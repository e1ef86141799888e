package wire_test

import (
	"testing"

	"github.com/quirehq/quire/composer/internal/wire"
	"github.com/quirehq/quire/composer/messages"
)

// TestMedia reads every spelling and writes it for every API: the members, or why there are none.
func TestMedia(t *testing.T) {
	const (
		image = messages.KindImage
		file  = messages.KindFile

		noForm = "no form in this API; want bytes in base64 or a URL"
		noURL  = "chat completions take no file by its URL"

		png    = `source={"type":"base64","media_type":"image/png","data":"AA=="} `
		page   = `source={"type":"url","url":"https://e.example/a"} `
		chat   = `image_url={"url":"data:image/png;base64,AA=="} `
		low    = `image_url={"url":"data:image/png;base64,AA==","detail":"low"} `
		input  = `image_url="data:image/png;base64,AA==" `
		pdf    = `source={"type":"base64","media_type":"application/pdf","data":"AA=="} title="a.pdf" `
		upload = `file={"filename":"a.pdf","file_data":"data:application/pdf;base64,AA=="} `
		parts  = `file_data="data:application/pdf;base64,AA==" filename="a.pdf" `
	)
	type members = []messages.Member
	for _, test := range []struct {
		name                       string
		kind                       messages.Kind
		extra                      members
		anthropic, chat, responses string
	}{
		{"Anthropic's image", image, members{{Name: "source", Value: `{"type":"base64","media_type":"image/png","data":"AA=="}`}}, png, chat, input},
		{"Anthropic's image at a URL", image, members{{Name: "source", Value: `{"type":"url","url":"https://e.example/a"}`}},
			page, `image_url={"url":"https://e.example/a"} `, `image_url="https://e.example/a" `},
		{"Anthropic's document", messages.KindDocument, members{{Name: "title", Value: `"a.pdf"`}, {Name: "source", Value: `{"type":"base64","media_type":"application/pdf","data":"AA=="}`}},
			pdf, upload, parts},
		{"Anthropic's document at a URL", messages.KindDocument, members{{Name: "source", Value: `{"type":"url","url":"https://e.example/a"}`}},
			page, noURL, `file_url="https://e.example/a" `},
		{"Anthropic's text", messages.KindDocument, members{{Name: "source", Value: `{"type":"text","media_type":"text/plain","data":"a"}`}}, noForm, noForm, noForm},
		{"Gemini's", image, members{{Name: "inlineData", Value: `{"mimeType":"image/png","data":"AA=="}`}}, png, chat, input},
		{"an image of chat completions", image, members{{Name: "image_url", Value: `{"url":"data:image/png;base64,AA==","detail":"low"}`}}, png, low, input + `detail="low" `},
		{"an image of responses", image, members{{Name: "detail", Value: `"low"`}, {Name: "image_url", Value: `"data:image/png;base64,AA=="`}}, png, low, input + `detail="low" `},
		{"a file of chat completions", file, members{{Name: "file", Value: `{"file_data":"data:application/pdf;base64,AA==","filename":"a.pdf"}`}}, pdf, upload, parts},
		{"a file of responses", file, members{{Name: "file_data", Value: `"data:application/pdf;base64,AA=="`}, {Name: "filename", Value: `"a.pdf"`}}, pdf, upload, parts},
		{"a file without a name", file, members{{Name: "file_data", Value: `"data:a/b;base64,AA=="`}}, `source={"type":"base64","media_type":"a/b","data":"AA=="} `,
			`file={"filename":"file","file_data":"data:a/b;base64,AA=="} `, `file_data="data:a/b;base64,AA==" filename="file" `},
		{"a file of responses at a URL", file, members{{Name: "file_url", Value: `"https://e.example/a"`}}, page, noURL, `file_url="https://e.example/a" `},
		{"an uploaded file of chat completions", file, members{{Name: "file", Value: `{"file_id":"f"}`}}, noForm, `file={"file_id":"f"} `, `file_id="f" `},
		{"an uploaded file of responses", file, members{{Name: "file_id", Value: `"f"`}}, noForm, `file={"file_id":"f"} `, `file_id="f" `},
		{"an uploaded image", image, members{{Name: "file_id", Value: `"f"`}}, noForm, noForm, `file_id="f" `},
		{"a URL that is none", image, members{{Name: "image_url", Value: `"a.png"`}}, noForm, `image_url={"url":"a.png"} `, `image_url="a.png" `},
		{"data that is not in base64", image, members{{Name: "image_url", Value: `"data:text/plain,a"`}}, noForm, `image_url={"url":"data:text/plain,a"} `, `image_url="data:text/plain,a" `},
		{"audio", messages.KindAudio, members{{Name: "file_data", Value: `"data:audio/wav;base64,AA=="`}}, noForm, noForm, noForm},
		{"nothing", image, nil, noForm, noForm, noForm},
	} {
		m, err := wire.ReadMedia(&messages.Block{Kind: test.kind, Extra: test.extra})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		for _, api := range []struct {
			name, want string
			write      func() (messages.Block, error)
		}{{"anthropic", test.anthropic, m.Anthropic}, {"chat", test.chat, m.Chat}, {"responses", test.responses, m.Responses}} {
			b, err := api.write()
			got := ""
			for _, member := range b.Extra {
				got += member.Name + "=" + string(member.Value) + " "
			}
			if err != nil {
				got += err.Error()
			}
			if got != api.want {
				t.Errorf("%s, for %s:\ngot  %s\nwant %s", test.name, api.name, got, api.want)
			}
		}
	}
	const want = `source: line 1, byte 7 (/a): duplicate object member name`
	if _, err := wire.ReadMedia(&messages.Block{Kind: image, Extra: members{{Name: "source", Value: `{"a":1,"a":2}`}}}); err == nil || err.Error() != want {
		t.Errorf("error %v; want %s", err, want)
	}
}
