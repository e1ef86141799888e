package replay

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/edits"
)

// A Reader reads objects and records from a store. Everything it returns was hashed and compared with its name: what
// does not fit is a [CorruptError], what is not there an [ErrNotFound], and neither is ever taken for the other.
//
// It keeps some contents that it has read, so many records that share contents are read quickly. It is safe for
// concurrent use.
type Reader struct {
	store   Store
	cache   *cache
	scratch sync.Pool // of *[maxPiece]byte
}

// cacheBytes is how much content a Reader keeps.
const cacheBytes = 64 << 20

// NewReader returns a reader of that store.
func NewReader(store Store) *Reader { return &Reader{store: store, cache: newCache(cacheBytes)} }

// Content returns the content of an object.
func (r *Reader) Content(ctx context.Context, name fingerprint.Digest) (string, error) {
	if content, there := r.cache.find(name); there {
		return content, nil
	}
	found, err := r.load(ctx, []fingerprint.Digest{name}, kept)
	if err != nil {
		return "", err
	}
	return found[0].content, found[0].err
}

// Whether a content is likely to be asked for again. Records are not: they would drive out what is.
const (
	kept  = true
	never = false
)

// recipes reads the objects of many recipes at once, and into the cache the pieces of those that are lists and the
// contents that all of them name. Nothing is joined or checked as a whole, and what is wrong is found when it is opened.
func (r *Reader) recipes(ctx context.Context, names []fingerprint.Digest) (map[fingerprint.Digest]unjoined, error) {
	objects, err := r.store.Objects(ctx, names)
	if err != nil {
		return nil, err
	}
	found := make(map[fingerprint.Digest]unjoined, len(objects))
	var parts, inputs ahead
	var seams [][2]fingerprint.Digest
	before := ""
	for _, o := range objects {
		recipe := unjoined{Object: o}
		if o.Form == Pieces {
			names, _ := pieces(o)
			for i, name := range names {
				if parts.want(r, name) && i > 0 {
					seams = append(seams, [2]fingerprint.Digest{names[i-1], name})
				}
			}
		} else {
			recipe.text, recipe.err = r.decode(o)
			for name := range digestsIn(behind(recipe.text, edits.CommonPrefix(before, recipe.text))) {
				inputs.want(r, name)
			}
			before = recipe.text
		}
		found[o.Name] = recipe
	}
	pieces, err := parts.read(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, piece := range pieces {
		for name := range digestsIn(piece) {
			inputs.want(r, name)
		}
	}
	for _, seam := range seams { // where a digest may have been cut in two
		left, _ := r.cache.find(seam[0])
		right, _ := r.cache.find(seam[1])
		for name := range digestsIn(behind(left, len(left)) + right[:min(len(right), quotedDigest-1)]) {
			inputs.want(r, name)
		}
	}
	_, err = inputs.read(ctx, r)
	return found, err
}

// An unjoined is an object that is a list of pieces, or else the text of one. It is not checked.
type unjoined struct {
	Object
	text string
	err  error
}

// maxAhead is how many objects are read ahead at most: 8 MiB.
const maxAhead = 512

// An ahead lists objects that are likely to be asked for and that a reader does not have.
type ahead struct {
	names []fingerprint.Digest
	seen  map[fingerprint.Digest]struct{}
}

// want reports whether the name is now listed, and was not before.
func (a *ahead) want(r *Reader, name fingerprint.Digest) bool {
	if _, again := a.seen[name]; again || len(a.names) == maxAhead {
		return false
	}
	if a.seen == nil {
		a.seen = map[fingerprint.Digest]struct{}{}
	}
	a.seen[name] = struct{}{}
	if _, there := r.cache.find(name); there {
		return false
	}
	a.names = append(a.names, name)
	return true
}

// read reads them into the cache, except lists, and returns those that are what they should be.
func (a *ahead) read(ctx context.Context, r *Reader) (contents []string, err error) {
	if len(a.names) == 0 {
		return nil, nil
	}
	objects, err := r.store.Objects(ctx, a.names)
	for _, o := range objects {
		if o.Form == Pieces {
			continue
		}
		if content, err := r.open(ctx, o, kept); err == nil {
			contents = append(contents, content)
		}
	}
	return contents, err
}

// A loaded is a content, or what is wrong with it.
type loaded struct {
	content string
	err     error
}

// load reads the contents of many names at once, in order.
func (r *Reader) load(ctx context.Context, names []fingerprint.Digest, keep bool) ([]loaded, error) {
	contents := make([]loaded, len(names))
	var ask []fingerprint.Digest
	var places []int // of what is asked for
	for i, name := range names {
		content, there := r.cache.find(name)
		if contents[i].content = content; !there {
			ask, places = append(ask, name), append(places, i)
		}
	}
	if len(ask) == 0 {
		return contents, nil
	}
	objects, err := r.store.Objects(ctx, ask)
	if err != nil {
		return nil, err
	}
	found := make(map[fingerprint.Digest]loaded, len(objects))
	for _, o := range objects {
		if _, again := found[o.Name]; !again {
			content, err := r.open(ctx, o, keep)
			var corrupt *CorruptError
			if err != nil && !errors.As(err, &corrupt) {
				return nil, err
			}
			found[o.Name] = loaded{content, err}
		}
	}
	for i, name := range ask {
		l, there := found[name]
		if !there {
			l.err = fmt.Errorf("replay: object %s: %w", name, ErrNotFound)
		}
		contents[places[i]] = l
	}
	return contents, nil
}

// open returns the content of an object, checked.
func (r *Reader) open(ctx context.Context, o Object, keep bool) (content string, err error) {
	if o.Form == Pieces {
		var joined strings.Builder
		err = r.join(ctx, o, func(piece string) { joined.WriteString(piece) })
		content = joined.String()
	} else {
		content, err = r.decode(o)
	}
	if err == nil {
		if sum := fingerprint.SumString(content); sum != o.Name {
			err = fmt.Errorf("the bytes have the digest %s", sum)
		}
	}
	if err != nil {
		return "", corrupt(o.Name, "object", err)
	}
	if keep && o.Form != Pieces { // pieces are kept themselves
		r.cache.keep(o.Name, content)
	}
	return content, nil
}

// decode returns the content of an object that is no list. It is not checked.
func (r *Reader) decode(o Object) (string, error) {
	scratch, _ := r.scratch.Get().(*[maxPiece]byte)
	if scratch == nil {
		scratch = new([maxPiece]byte)
	}
	defer r.scratch.Put(scratch)
	content, err := decode(o, scratch)
	return string(content), err
}

// join hands the content that a list of pieces describes to add, piece by piece. The pieces are checked, the whole is not
// yet.
func (r *Reader) join(ctx context.Context, o Object, add func(piece string)) error {
	names, err := pieces(o)
	if err != nil {
		return err
	}
	var size int64
	const batch = 256 // 4 MiB of pieces at a time
	for len(names) > 0 {
		some := names[:min(batch, len(names))]
		names = names[len(some):]
		parts, err := r.loadPieces(ctx, some)
		if err != nil {
			return err
		}
		for _, part := range parts {
			size += int64(len(part))
			add(part)
		}
	}
	if size != o.Size {
		return fmt.Errorf("the pieces have %d bytes; want %d", size, o.Size)
	}
	return nil
}

// loadPieces reads pieces. One that is not there, or is a list again, is damage: the list was stored together with them.
func (r *Reader) loadPieces(ctx context.Context, names []fingerprint.Digest) ([]string, error) {
	contents := make([]string, len(names))
	var places map[fingerprint.Digest][]int
	var ask []fingerprint.Digest
	for i, name := range names {
		content, there := r.cache.find(name)
		if contents[i] = content; there {
			continue
		}
		if places == nil {
			places = map[fingerprint.Digest][]int{}
		}
		if places[name] == nil {
			ask = append(ask, name)
		}
		places[name] = append(places[name], i)
	}
	if len(ask) == 0 {
		return contents, nil
	}
	objects, err := r.store.Objects(ctx, ask)
	if err != nil {
		return nil, &storeError{err}
	}
	for _, o := range objects {
		if o.Form == Pieces {
			return nil, corrupt(o.Name, "piece", errors.New("a list of pieces"))
		}
		content, err := r.open(ctx, o, kept)
		if err != nil {
			return nil, err
		}
		for _, i := range places[o.Name] {
			contents[i] = content
		}
		delete(places, o.Name)
	}
	for _, name := range ask {
		if places[name] != nil {
			return nil, corrupt(name, "piece", ErrGone)
		}
	}
	return contents, nil
}

// ErrGone is the damage where an object that something else refers to is not there.
var ErrGone = errors.New("is not there, but is referred to")

// corrupt reports damage of an object. An error that says so already stays as it is, and so does one of reading.
func corrupt(name fingerprint.Digest, place string, err error) error {
	var already *CorruptError
	var reading *storeError
	if errors.As(err, &already) || errors.As(err, &reading) {
		return err
	}
	return &CorruptError{Name: name, Place: place, Err: err}
}

// A storeError is one of reading the store, and says nothing about what is in it.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// Record returns the record of an entry. What the entry says must be what the record says.
func (r *Reader) Record(ctx context.Context, e Entry) (Record, error) {
	found, err := r.load(ctx, []fingerprint.Digest{e.Record}, never)
	if err != nil {
		return Record{}, err
	}
	return record(e, found[0])
}

func record(e Entry, l loaded) (Record, error) {
	broken := func(err error) (Record, error) {
		return Record{}, &CorruptError{Name: e.Record, Place: fmt.Sprintf("record %s@%d", e.Session, e.Turn), Err: err}
	}
	if errors.Is(l.err, ErrNotFound) {
		return broken(ErrGone)
	}
	if l.err != nil {
		return Record{}, l.err
	}
	rec, err := ParseRecord([]byte(l.content))
	if err != nil {
		return broken(err)
	}
	if said := rec.entry(e.Record); said != e {
		return broken(fmt.Errorf("the log says %+v, the record %+v", e, said))
	}
	return rec, nil
}

// quotedDigest is how many bytes a digest takes in JSON: its digits and both quotes.
const quotedDigest = 2*digestLength + 2

// behind returns the end of a text in which every digest stands that is not wholly before a place.
func behind[T string | []byte](text T, place int) T { return text[max(0, place-(quotedDigest-1)):] }

// digestsIn yields what looks like a digest in canonical JSON: the strings of 64 lower-case hex digits. Every reference
// to an object in a recipe is one, whatever its kind; a string that only looks like one is no harm where it decides
// what must not be deleted.
func digestsIn(json string) iter.Seq[fingerprint.Digest] {
	return func(yield func(fingerprint.Digest) bool) {
		src := json
		for {
			start := strings.IndexByte(src, '"')
			if start < 0 {
				return
			}
			src = src[start+1:]
			if len(src) <= 2*digestLength || src[2*digestLength] != '"' {
				continue
			}
			var d fingerprint.Digest
			if _, err := hex.Decode(d[:], []byte(src[:2*digestLength])); err == nil && !yield(d) {
				return
			}
		}
	}
}
