package replay

import (
	"archive/tar"
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/quirehq/quire/fingerprint"
)

// A bundle is one file with some sessions and all they refer to: a tar archive in one zstd frame. It holds, in this
// order, bundleVersion (a line that says what it is), bundleLog (the records, a line of canonical JSON each), and every
// object under bundleObjects and its digest, in ascending order. The same records give the same bytes, and nothing else
// is a bundle of them: no other member, no other order, no metadata, nothing after the end.
const (
	bundleVersion = "quire-bundle"
	bundleLog     = "log.jsonl"
	bundleObjects = "objects/"

	versionLine = "quire bundle 1\n"
)

// ErrBundle is what [Import] refuses.
var ErrBundle = errors.New("not a bundle")

// header is all that a member says about itself: nothing about a machine, a user or a time.
func header(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, Format: tar.FormatUSTAR}
}

func sortedNames[V any](names map[fingerprint.Digest]V) []fingerprint.Digest {
	return slices.SortedFunc(maps.Keys(names), func(a, b fingerprint.Digest) int { return bytes.Compare(a[:], b[:]) })
}
