package replay

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A frameReader passes on exactly one zstd frame. Decoders read on after a frame: into another one, or over a frame
// that may be skipped. A bundle is one frame and then nothing, so that nothing can hide behind it.
type frameReader struct {
	src     *bufio.Reader
	left    int64 // of what was announced
	begun   bool
	last    bool // the block that is read is the last
	sum     bool // a checksum follows the last block
	done    bool
	pending []byte // a header, to be passed on
}

var errFrame = errors.New("not one zstd frame")

func (f *frameReader) Read(p []byte) (int, error) {
	for len(f.pending) == 0 && f.left == 0 {
		if f.done {
			if _, err := f.src.Peek(1); err != io.EOF {
				return 0, fmt.Errorf("%w: bytes behind it", errFrame)
			}
			return 0, io.EOF
		}
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	if len(f.pending) > 0 {
		n := copy(p, f.pending)
		f.pending = f.pending[n:]
		return n, nil
	}
	n, err := f.src.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// next reads the header of the frame, of a block, or finds the end.
func (f *frameReader) next() error {
	switch {
	case !f.begun:
		var h zstd.Header
		head, err := f.src.Peek(zstd.HeaderMaxSize)
		if err != nil && err != io.EOF {
			return err
		}
		if err := h.Decode(head); err != nil || h.Skippable {
			return errFrame
		}
		f.begun, f.left, f.sum = true, int64(h.HeaderSize), h.HasCheckSum
	case f.last && f.sum:
		f.left, f.sum = 4, false
	case f.last:
		f.done = true
	default:
		var head [3]byte
		if _, err := io.ReadFull(f.src, head[:]); err != nil {
			return io.ErrUnexpectedEOF
		}
		word := uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16
		f.pending, f.last, f.left = head[:], word&1 != 0, int64(word>>3)
		if word>>1&3 == 1 { // one byte, repeated
			f.left = 1
		}
	}
	return nil
}
