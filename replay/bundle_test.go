package replay_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

func export(t testing.TB, store replay.Store, q replay.Query) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := replay.Export(t.Context(), store, q, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBundle(t *testing.T) {
	store := new(replay.Memory)
	recordGrowing(t, store, "s", 12)
	recordGrowing(t, store, "t", 3)
	bundle := export(t, store, replay.Query{})
	if !bytes.Equal(bundle, export(t, store, replay.Query{})) {
		t.Error("two exports of the same records differ")
	}

	for _, q := range []replay.Query{{Since: noon}, {Until: noon}, {Labels: map[string]string{"model": "m"}}} {
		var b bytes.Buffer
		if err := replay.Export(t.Context(), store, q, &b); err == nil || !strings.Contains(err.Error(), "no gaps") || b.Len() > 0 {
			t.Errorf("export of %+v: %d bytes, %v", q, b.Len(), err)
		}
	}

	other := new(replay.Memory)
	for _, want := range []replay.Imported{{Sessions: 2, Records: 15, Objects: 62, New: 15}, {Sessions: 2, Records: 15, Objects: 62}} {
		got, err := replay.Import(t.Context(), other, bytes.NewReader(bundle), replay.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	report, err := replay.Verify(t.Context(), other, replay.Query{}, replay.Options{})
	if err != nil || report.Verified != 15 || !report.OK() {
		t.Errorf("%v, %v", report, err)
	}
	if !bytes.Equal(bundle, export(t, other, replay.Query{})) {
		t.Error("the export of what was imported differs")
	}

	// A session goes on where the bundle of its beginning ended, and only there.
	part := new(replay.Memory)
	for _, q := range []replay.Query{{Session: "s", To: 5}, {Session: "s", From: 4, To: 9}} {
		if _, err := replay.Import(t.Context(), part, bytes.NewReader(export(t, store, q)), replay.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := replay.Import(t.Context(), part, bytes.NewReader(export(t, store, replay.Query{Session: "s", From: 12})), replay.Limits{}); !errors.Is(err, replay.ErrConflict) {
		t.Errorf("a bundle with a gap before it: %v", err)
	}
}

// pack makes an archive of headers and contents.
func pack(t *testing.T, members ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	z, _ := zstd.NewWriter(&b)
	w := tar.NewWriter(z)
	for i := 0; i < len(members); i += 2 {
		if err := w.WriteHeader(members[i].(*tar.Header)); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, members[i+1].(string)) // too short where the header claims more
	}
	w.Flush()
	w.Close()
	z.Close()
	return b.Bytes()
}

func file(name, content string) (*tar.Header, string) {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o644, Format: tar.FormatUSTAR}, content
}

func TestImportRefuses(t *testing.T) {
	store := new(replay.Memory)
	recordGrowing(t, store, "s", 3)
	good := export(t, store, replay.Query{})
	raw, err := io.ReadAll(must1(zstd.NewReader(bytes.NewReader(good))))
	if err != nil {
		t.Fatal(err)
	}
	squeeze := func(raw []byte) []byte {
		z := must1(zstd.NewWriter(nil))
		return z.EncodeAll(raw, nil)
	}
	version, versionText := file("quire-bundle", "quire bundle 1\n")
	log, logText := file("log.jsonl", "")
	object := func(name string) []byte {
		h, text := file(name, "x")
		return pack(t, version, versionText, log, logText, h, text)
	}
	x := fingerprint.SumString("x").String()
	huge := *version
	huge.Size = 10 << 30
	huge.Format = tar.FormatGNU
	bomb := pack(t, version, versionText, &tar.Header{Typeflag: tar.TypeReg, Name: "log.jsonl", Size: 64 << 20, Mode: 0o644}, strings.Repeat("\n", 64<<20))
	link := *log
	link.Typeflag, link.Linkname = tar.TypeSymlink, "/etc/passwd"
	owned := *log
	owned.Uname = "somebody"
	needless := []any{version, versionText, log, logText}
	var least string // of the names
	for i := range 20 {
		content := string(rune('a' + i))
		name := fingerprint.SumString(content).String()
		if least == "" || name < least {
			least = name
		}
		needless = append(needless, pair(file("objects/"+name, content))...)
	}
	inOrder(needless[4:])
	for _, test := range []struct {
		name   string
		bundle []byte
		says   string
	}{
		{"empty", nil, ""},
		{"no archive", []byte("hello, this is no bundle at all"), "one zstd frame"},
		{"truncated", good[:len(good)-9], ""},
		{"truncated to half", good[:len(good)/2], ""},
		{"padded", append(bytes.Clone(good), 0), "bytes behind"},
		{"padded with a frame", append(bytes.Clone(good), squeeze([]byte("more"))...), "bytes behind"},
		{"padded with a skippable frame", append(bytes.Clone(good), 0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 'x'), "bytes behind"},
		{"padded inside", squeeze(append(bytes.Clone(raw), make([]byte, 512)...)), "bytes behind"},
		{"claims 10 GB", pack(t, &huge, ""), "claims 10737418240 bytes"},
		{"a bomb", bomb, "the limit is"},
		{"leaves its folder", object("objects/../../" + x), "member"},
		{"absolute", object("/objects/" + x), "member"},
		{"leaves by the log's name", pack(t, append([]any{version, versionText}, pair(file("../log.jsonl", ""))...)...), "log.jsonl"},
		{"a link", pack(t, version, versionText, &link, ""), "no plain file"},
		{"somebody's", pack(t, version, versionText, &owned, ""), "no plain file"},
		{"an object under another name", object("objects/1" + strings.Repeat("0", 63)), "corrupt object 1000"},
		{"an object that nobody needs", object("objects/" + x), "no record needs"},
		{"many objects that nobody needs", pack(t, needless...), "no record needs the object " + least},
		{"another version", pack(t, pair(file("quire-bundle", "quire bundle 2\n"))...), "want \"quire bundle 1"},
		{"no log", pack(t, version, versionText), "log.jsonl"},
		{"a log of something else", pack(t, append([]any{version, versionText}, pair(file("log.jsonl", "{}\n"))...)...), "line 1"},
		{"a log without its objects", squeeze(append(bytes.Clone(raw[:logEnd(t, raw)]), make([]byte, 1024)...)), "which is not in it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			into := new(replay.Memory)
			_, err := replay.Import(t.Context(), into, bytes.NewReader(test.bundle), replay.Limits{Object: 16 << 20})
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %v; want one that says %q", err, test.says)
			}
			for e := range into.Entries(t.Context(), replay.Span{}) {
				t.Errorf("stored %v", e)
			}
			if n := objects(t, into); n > 0 {
				t.Errorf("stored %d objects", n)
			}
			// A pipe cannot be read twice.
			_, err = replay.Import(t.Context(), into, io.MultiReader(bytes.NewReader(test.bundle)), replay.Limits{Object: 16 << 20})
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("as a pipe: error %v; want one that says %q", err, test.says)
			}
			for e := range into.Entries(t.Context(), replay.Span{}) {
				t.Errorf("as a pipe: stored %v", e)
			}
		})
	}

	for _, test := range []struct {
		limits replay.Limits
		says   string
	}{
		{replay.Limits{Bytes: int64(len(raw)), Object: 16 << 20}, ""},
		{replay.Limits{Bytes: int64(len(raw)) - 1}, "more than"},
		{replay.Limits{Bytes: math.MaxInt64, Object: math.MaxInt64}, ""},
		{replay.Limits{Bytes: -1}, "want 0 or more"},
		{replay.Limits{Object: -1}, "want 0 or more"},
	} {
		_, err := replay.Import(t.Context(), new(replay.Memory), bytes.NewReader(good), test.limits)
		if test.says == "" && err != nil || test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
			t.Errorf("%+v: error %v; want one that says %q", test.limits, err, test.says)
		}
	}

	// Where the session went on in another way, nothing is left either.
	into := new(replay.Memory)
	recordGrowing(t, into, "other", 1)
	var first bytes.Buffer
	if err := replay.Export(t.Context(), store, replay.Query{Session: "s", To: 1}, &first); err != nil {
		t.Fatal(err)
	}
	must1(replay.Import(t.Context(), into, &first, replay.Limits{}))
	c := must1(composer.Compose([]composer.Section{{ID: "a", Content: "another turn"}}, composer.Config{}))
	must1(replay.NewRecorder(into, replay.Session{ID: "s"}).Record(t.Context(), c, replay.Turn{}))
	before := objects(t, into)
	if _, err := replay.Import(t.Context(), into, bytes.NewReader(good), replay.Limits{}); !errors.Is(err, replay.ErrConflict) {
		t.Errorf("onto another turn: %v", err)
	}
	if n := objects(t, into); n != before {
		t.Errorf("onto another turn: %d objects, then %d", before, n)
	}

	// Every byte of a bundle matters.
	small := new(replay.Memory)
	recordGrowing(t, small, "s", 1)
	bundle := export(t, small, replay.Query{})
	step := 1 + len(bundle)/600
	for at := 0; at < len(bundle); at += step {
		flipped := bytes.Clone(bundle)
		flipped[at] ^= 1 << (at % 8)
		into := new(replay.Memory)
		if _, err := replay.Import(t.Context(), into, bytes.NewReader(flipped), replay.Limits{}); err != nil {
			continue
		}
		if got := export(t, into, replay.Query{}); !bytes.Equal(got, bundle) {
			t.Errorf("with byte %d flipped it is another bundle, and imported", at)
		}
	}
}

// inOrder sorts headers and contents by the names.
func inOrder(members []any) {
	for i := range len(members) / 2 {
		for k := 2 * i; k > 0 && members[k].(*tar.Header).Name < members[k-2].(*tar.Header).Name; k -= 2 {
			members[k], members[k+1], members[k-2], members[k-1] = members[k-2], members[k-1], members[k], members[k+1]
		}
	}
}

// objects counts what a store holds.
func objects(t *testing.T, store replay.Store) (n int) {
	t.Helper()
	for _, err := range store.Names(t.Context(), fingerprint.Digest{}, fingerprint.Digest(bytes.Repeat([]byte{0xff}, 32))) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// logEnd returns where the log ends in an archive.
func logEnd(t *testing.T, raw []byte) int {
	r := tar.NewReader(bytes.NewReader(raw))
	r.Next()
	h, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	return 512 + 512 + 512 + int(h.Size+511)/512*512
}

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func pair(h *tar.Header, content string) []any { return []any{h, content} }
