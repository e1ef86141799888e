package sessions

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/quirehq/quire/composer/internal/wire"
)

// MaxUnpacked is how many bytes the samples of an archive, and their messages with the attachments in place, may come to
// together. What would go beyond it is broken, so a small file does not fill the memory.
const MaxUnpacked = 4 << 30

// maxWindow is how far back the compression of a sample may reach, which is memory that a decoder takes for it. It is
// what every decoder of zstd is asked to support.
const maxWindow = 8 << 20

// errPieces is of the samples of an .eval2 archive: a folder each, with its lists in numbered pieces.
var errPieces = errors.New(`a sample that is stored in pieces, which are not read; want what "inspect log dump FILE" prints`)

// readArchive reads the samples of an archive, in the order of their numbers.
func (r *reader) readArchive() error {
	archive, err := zip.NewReader(bytes.NewReader(r.doc), int64(len(r.doc)))
	if err != nil {
		return fmt.Errorf("an archive that cannot be opened: %w", err)
	}
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor(zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)))
	files := slices.Clone(archive.File)
	slices.SortStableFunc(files, func(a, b *zip.File) int { return compareNames(a.Name, b.Name) })
	for _, f := range files {
		r.open(nil, 1)
		if err := r.archived(f); err != nil {
			if err = r.broken(f.Name, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// archived reads a file of an archive.
func (r *reader) archived(f *zip.File) error {
	epoch := max(0, strings.LastIndex(f.Name, "_epoch_")) // the id before it is anything
	_, piece, inPieces := strings.Cut(f.Name[epoch:], "/")
	inPieces = inPieces && epoch > 0
	switch {
	case !strings.HasPrefix(f.Name, "samples/") || !strings.HasSuffix(f.Name, ".json"):
		r.note(1, f.Name, Aside, "no sample")
		return nil
	case inPieces && piece == "sample.json":
		return errPieces
	case inPieces:
		r.note(1, f.Name, Aside, "a piece of a sample that is stored in pieces")
		return nil
	}
	if err := r.unpack(f); err != nil {
		return err
	}
	sample, err := wire.ReadRecords(r.doc).Whole()
	if err != nil {
		return err
	}
	return r.sample(sample, f.Name+":")
}

// unpack turns to a file of an archive.
func (r *reader) unpack(f *zip.File) error {
	size := int64(f.UncompressedSize64) // negative when it is out of all bounds
	if err := r.charge(size); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	doc, err := io.ReadAll(io.LimitReader(in, size+1))
	if closing := in.Close(); err == nil {
		err = closing
	}
	if err == nil && int64(len(doc)) > size {
		err = errors.New("a sample that is larger than its archive says")
	}
	r.open(doc, 1)
	return err
}

// charge takes n bytes from those that may still be unpacked.
func (r *reader) charge(n int64) error {
	if n < 0 || n > r.room {
		return fmt.Errorf("the file unpacks to more than the %d bytes that are read", int64(MaxUnpacked))
	}
	r.room -= n
	return nil
}

// compareNames orders names with numbers in them: sample 2 before sample 10.
func compareNames(a, b string) int {
	digit := func(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if digit(a, i) && digit(b, j) {
			x, y := i, j
			for digit(a, i) {
				i++
			}
			for digit(b, j) {
				j++
			}
			n, m := strings.TrimLeft(a[x:i], "0"), strings.TrimLeft(b[y:j], "0")
			if len(n) != len(m) {
				return len(n) - len(m)
			}
			if c := strings.Compare(n, m); c != 0 {
				return c
			}
			continue
		}
		if a[i] != b[j] {
			return int(a[i]) - int(b[j])
		}
		i++
		j++
	}
	return len(a) - i - (len(b) - j)
}
