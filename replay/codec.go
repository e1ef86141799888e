package replay

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/quirehq/quire/fingerprint"
)

// How content becomes objects.
//
// Content of up to maxPiece bytes is one object, compressed when that pays. What is longer is cut into pieces, each an
// object of its own, and the content's object lists their names. The cuts are where the content says so (a rolling hash
// of the bytes before), not at fixed lengths: a recipe that grew by one section, a history with a line more, a document
// with a word changed have all their pieces but one or two in common with what is stored. That, and not a chain of
// differences, is why a turn costs about its new bytes: every object stands for itself, and can be dropped by itself.
const (
	minPiece     = 1 << 10
	maxPiece     = 16 << 10
	cutMask      = (1<<11 - 1) << 53 // a cut every 2 KiB on average, after the first minPiece bytes
	minCompress  = 512
	digestLength = len(fingerprint.Digest{})
)

// gears has a random number for every byte; they are part of no format, but changing them stores everything once more.
var gears = sync.OnceValue(func() (table [256]uint64) {
	for i := range table {
		d := fingerprint.Sum([]byte{'g', 'e', 'a', 'r', byte(i)})
		for _, b := range d[:8] {
			table[i] = table[i]<<8 | uint64(b)
		}
	}
	return table
})

// cuts yields the pieces of content, in order.
func cuts(content string) iter.Seq[string] {
	gears := gears()
	return func(yield func(string) bool) {
		for len(content) > 0 {
			n := cut(content, &gears)
			if !yield(content[:n]) {
				return
			}
			content = content[n:]
		}
	}
}

// cut returns the length of the first piece of content.
func cut(content string, gears *[256]uint64) int {
	n := min(len(content), maxPiece)
	var hash uint64
	for i := min(minPiece, n); i < n; i++ {
		hash = hash<<1 + gears[content[i]]
		if hash&cutMask == 0 {
			return i + 1
		}
	}
	return n
}

// A piece of a content that is too long for one object.
type piece struct {
	name    fingerprint.Digest
	content string
}

// A splitter cuts contents into named pieces, one after the other. What a content has in common with the one before it, at
// its beginning, is neither cut nor hashed again.
type splitter struct {
	names []fingerprint.Digest
	ends  []int
}

// split returns the pieces of a content of which the first shared bytes are those of the content before.
func (s *splitter) split(content string, shared int) []piece {
	// The last piece ended where the content did.
	kept, _ := slices.BinarySearch(s.ends[:max(0, len(s.ends)-1)], shared+1)
	s.names, s.ends = s.names[:kept], s.ends[:kept]
	pieces := make([]piece, 0, kept+2)
	at := 0
	for i, end := range s.ends {
		pieces = append(pieces, piece{s.names[i], content[at:end]})
		at = end
	}
	for part := range cuts(content[at:]) {
		name := fingerprint.SumString(part)
		at += len(part)
		s.names, s.ends = append(s.names, name), append(s.ends, at)
		pieces = append(pieces, piece{name, part})
	}
	return pieces
}

var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithWindowSize(maxPiece))
		if err != nil {
			panic(err) // the options are constants
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0))
		if err != nil {
			panic(err) // the options are constants
		}
		return d
	})
)

// appendObjects appends the objects of which the content of that name consists.
func appendObjects(objects []Object, name fingerprint.Digest, content string) []Object {
	if len(content) <= maxPiece {
		return append(objects, encode(name, content))
	}
	pieces := new(splitter).split(content, 0)
	for _, p := range pieces {
		objects = append(objects, encode(p.name, p.content))
	}
	return append(objects, list(name, pieces))
}

// list returns the object of a content that consists of those pieces.
func list(name fingerprint.Digest, pieces []piece) Object {
	o := Object{Name: name, Form: Pieces, Data: make([]byte, 0, len(pieces)*digestLength)}
	for _, p := range pieces {
		o.Size += int64(len(p.content))
		o.Data = append(o.Data, p.name[:]...)
	}
	return o
}

func encode(name fingerprint.Digest, content string) Object {
	o := Object{Name: name, Size: int64(len(content)), Data: []byte(content)}
	if len(content) >= minCompress {
		if packed := encoder().EncodeAll(o.Data, make([]byte, 0, len(content))); len(packed) < len(content) {
			o.Form, o.Data = Zstd, packed
		}
	}
	return o
}

// decode returns the content of an object that is no list, in scratch unless it is stored as it is. It is checked against
// the name by the caller, but not before its length is known to be harmless.
func decode(o Object, scratch *[maxPiece]byte) (content []byte, err error) {
	if o.Size < 0 || o.Size > maxPiece {
		return nil, fmt.Errorf("size %d; want 0 to %d", o.Size, maxPiece)
	}
	switch o.Form {
	case Plain:
		content = o.Data
	case Zstd:
		if content, err = decoder().DecodeAll(o.Data, scratch[:0:o.Size]); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("form %d; want %d or %d", o.Form, Plain, Zstd)
	}
	if int64(len(content)) != o.Size {
		return nil, fmt.Errorf("%d bytes; want %d", len(content), o.Size)
	}
	return content, nil
}

// pieces returns the names that a list holds.
func pieces(o Object) ([]fingerprint.Digest, error) {
	if len(o.Data)%digestLength != 0 || len(o.Data) == 0 {
		return nil, fmt.Errorf("a list of pieces of %d bytes; want a multiple of %d", len(o.Data), digestLength)
	}
	names := make([]fingerprint.Digest, len(o.Data)/digestLength)
	for i := range names {
		names[i] = fingerprint.Digest(o.Data[i*digestLength:])
	}
	// Each piece but the last is longer than minPiece, so a list cannot claim much more than it is long.
	if least, most := int64(len(names)-1)*minPiece, int64(len(names))*maxPiece; o.Size <= least || o.Size > most {
		return nil, fmt.Errorf("%d pieces of %d bytes; want %d to %d bytes", len(names), o.Size, least+1, most)
	}
	return names, nil
}
