package bpe_test

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/measure/bpe"
)

// encodingNames are the real tokenizers among [bpe.Names].
func encodingNames() []string { return bpe.Names()[len(measure.Names()):] }

func encoding(tb testing.TB, name string) bpe.Encoding {
	tb.Helper()
	e, ok := bpe.EncodingByName(name)
	if !ok {
		tb.Fatalf("no encoding %q", name)
	}
	return e
}

// idsRow is a string and its tokens, as npm's tiktoken has them; scripts/tokens/oracle.mjs writes them.
type idsRow struct {
	Why, Text string
	O200k     []uint32 `json:"o200k_base"`
	CL100k    []uint32 `json:"cl100k_base"`
}

func (r idsRow) ids(name string) []uint32 {
	return map[string][]uint32{"o200k_base": r.O200k, "cl100k_base": r.CL100k}[name]
}

func readRows[row any](tb testing.TB, name string) []row {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		tb.Fatal(err)
	}
	var rows []row
	for d := json.NewDecoder(z); ; {
		var r row
		if err := d.Decode(&r); err == io.EOF {
			return rows
		} else if err != nil {
			tb.Fatalf("%s, row %d: %v", name, len(rows), err)
		}
		rows = append(rows, r)
	}
}

func TestTokensAreTiktokens(t *testing.T) {
	t.Parallel()
	rows := readRows[idsRow](t, "ids.jsonl.gz")
	if len(rows) < 4000 {
		t.Fatalf("%d rows, want 4,000 at least", len(rows))
	}
	for _, name := range encodingNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := encoding(t, name)
			wrong := 0
			for _, row := range rows {
				got := e.AppendTokens([]uint32{}, row.Text)
				if !slices.Equal(got, row.ids(name)) {
					if wrong++; wrong <= 5 {
						t.Errorf("tokens of %q (%s) (-want +got):\n%s", row.Text, row.Why, cmp.Diff(row.ids(name), got))
					}
				}
				if n := e.Count(row.Text); n != int64(len(row.ids(name))) {
					t.Errorf("Count(%q) = %d, want %d", row.Text, n, len(row.ids(name)))
				}
			}
			if wrong > 0 {
				t.Errorf("%d of %d rows differ", wrong, len(rows))
			}
		})
	}
}

// TestEveryCodePoint puts every code point where letters, marks, numbers, white space and the rest lead to different
// pieces, so that the frozen classes are compared with the oracle's one by one.
func TestEveryCodePoint(t *testing.T) {
	t.Parallel()
	type block struct {
		From   rune
		O200k  string `json:"o200k_base"`
		CL100k string `json:"cl100k_base"`
	}
	const size, codePoints = 4096, 0x110000
	blocks := readRows[block](t, "sweep.jsonl.gz")
	if got, want := len(blocks), codePoints/size; got != want {
		t.Fatalf("%d blocks, want %d", got, want)
	}
	for _, name := range encodingNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := encoding(t, name)
			for _, b := range blocks {
				// From U+20000 on there are ideographs and private characters, and one block of others.
				if testing.Short() && b.From >= 0x20000 && b.From != 0xe0000 {
					continue
				}
				var text strings.Builder
				for r := b.From; r < b.From+size; r++ {
					if 0xd800 <= r && r <= 0xdfff {
						continue
					}
					text.WriteString(strings.ReplaceAll("#'re1#2345a#b#C ##\n", "#", string(r)))
				}
				h := sha256.New()
				for _, id := range e.AppendTokens(nil, text.String()) {
					h.Write(binary.LittleEndian.AppendUint32(nil, id))
				}
				want := map[string]string{"o200k_base": b.O200k, "cl100k_base": b.CL100k}[name]
				if got := hex.EncodeToString(h.Sum(nil))[:len(want)]; got != want {
					t.Errorf("block from %U: digest of ids %s, want %s", b.From, got, want)
				}
			}
		})
	}
}
