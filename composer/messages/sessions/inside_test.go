package sessions

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// archive packs samples, by a method of zip.
func archive(t *testing.T, method uint16, samples ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(zstd.WithWindowSize(4*maxWindow)))
	for i, sample := range samples {
		f, err := w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("samples/%d_epoch_1.json", i+1), Method: method})
		if err == nil {
			_, err = f.Write([]byte(sample))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestUnpacked: what a small file unpacks to is bounded, however it is spread.
func TestUnpacked(t *testing.T) {
	const room = 10_000
	events := func(n int, input string) string {
		return `"events":[` + strings.Repeat(`{"event":"model",`+input+`},`, n-1) + `{"event":"model",` + input + `}]`
	}
	attached := func(n, size int) string {
		messages := make([]string, n)
		for i := range messages {
			messages[i] = fmt.Sprintf(`{"role":"user","content":[{"type":"text","text":"%d"},{"type":"text","text":"attachment://a"}]}`, i)
		}
		return `{"id":1,"attachments":{"a":"` + strings.Repeat("a", size) + `"},` + events(1, `"input":[`+strings.Join(messages, ",")+`]`) + `}`
	}
	pooled := func(n int) string {
		return `{"id":1,"message_pool":[{"role":"user","content":"a"}],` + events(1, `"input_refs":[`+strings.Repeat("0,", n-1)+`0]`) + `}`
	}
	sample := func(size int) string {
		const around = `{"id":1,"input":"","events":[]}`
		return strings.Replace(around, `""`, `"`+strings.Repeat("a", size-len(around))+`"`, 1)
	}
	padded := func(size int) string { return sample(1000) + strings.Repeat(" ", size-1000) }
	lying := archive(t, zip.Deflate, padded(2000))
	lying = bytes.ReplaceAll(lying, []byte{0xd0, 0x07, 0, 0}, []byte{0xe8, 0x03, 0, 0}) // it says 1000

	document := func(sample string) []byte { return []byte(`{"eval":{},"samples":[` + sample + `]}`) }
	for _, test := range []struct {
		name string
		file []byte
		want string // of the error; "" is none
	}{
		{"samples that fit", archive(t, zip.Deflate, sample(5000), sample(5000)), ""},
		{"many samples", archive(t, zip.Deflate, sample(5000), sample(5001)), "samples/2_epoch_1.json: the file unpacks to more than"},
		{"a sample larger than it says", lying, "samples/1_epoch_1.json: "},
		{"a window that fits", archive(t, zstd.ZipMethodWinZip, sample(5000)), ""},
		{"attachments that fit", document(attached(8, 1000)), ""},
		{"one attachment in many places", document(attached(10, 1000)), `attachment "attachment://a": the file unpacks to more than`},
		{"messages that events repeat", document(`{"id":1,"attachments":{"a":"` + strings.Repeat("a", 1000) + `"},` +
			events(100, `"input":[{"role":"user","content":"attachment://a"}]`) + `}`), ""},
		{"references that fit", document(pooled(70)), ""},
		{"one message in many places", document(pooled(80)), "the file unpacks to more than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &reader{name: "x", room: room}
			err := r.read(bytes.NewReader(test.file))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v; want one that says %q", err, test.want)
			}
			r = &reader{name: "x", room: room, opts: Options{SkipBad: true}}
			if err := r.read(bytes.NewReader(test.file)); err != nil || (r.out.Broken == 0) != (test.want == "") {
				t.Errorf("where broken records are skipped: %d broken, %v", r.out.Broken, err)
			}
		})
	}

	// A window that a decoder would have to keep in memory.
	large := archive(t, zstd.ZipMethodWinZip, sample(5*maxWindow))
	if _, err := Read("x", bytes.NewReader(large), Options{}); err == nil || !strings.Contains(err.Error(), "window size") {
		t.Errorf("a window of %d bytes: %v", 4*maxWindow, err)
	}
}
