package replay

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
)

// Export writes a bundle of whole sessions, or of a range of each. A query with times or labels is refused: it may leave
// out records in between, and a bundle has no gaps.
func Export(ctx context.Context, store Store, q Query, w io.Writer) error {
	if !q.Since.IsZero() || !q.Until.IsZero() || len(q.Labels) > 0 {
		return errors.New("replay: export by time or label; a bundle has no gaps, so want sessions, shards or ranges of seq")
	}
	r := NewReader(store)
	// The heads are read once, so that what others record meanwhile does not get in between.
	var heads []Head
	for head, err := range store.Heads(ctx, q.Session) {
		if err != nil {
			return err
		}
		if q.Shard.holds(head.Session) {
			head.First, head.Last = max(head.First, q.From), min(head.Last, cmp.Or(q.To, head.Last))
			heads = append(heads, head)
		}
	}
	if len(heads) == 0 && q.Session != "" {
		return r.noSession(ctx, q.Session)
	}
	type logged struct {
		line string
		rec  Record
	}
	records := func(yield func(logged, error) bool) {
		for _, head := range heads {
			if head.First > head.Last {
				continue
			}
			for e, err := range store.Entries(ctx, Span{Session: head.Session, From: head.First, To: head.Last}) {
				var l logged
				if err == nil {
					l.rec, err = r.Record(ctx, e)
				}
				if err == nil {
					l.line, err = r.Content(ctx, e.Record)
				}
				if !yield(l, err) || err != nil {
					return
				}
			}
		}
	}

	var size int64
	needed := contentsOf{reader: r, names: map[fingerprint.Digest]struct{}{}}
	for l, err := range records {
		if err == nil {
			err = needed.record(ctx, l.rec)
		}
		if err != nil {
			return err
		}
		size += int64(len(l.line)) + 1
	}

	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithWindowSize(1<<20))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	if err := member(t, bundleVersion, int64(len(versionLine))); err != nil {
		return err
	}
	if _, err := io.WriteString(t, versionLine); err != nil {
		return err
	}
	if err := member(t, bundleLog, size); err != nil {
		return err
	}
	for l, err := range records {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(t, l.line+"\n"); err != nil {
			return err
		}
	}
	for _, name := range sortedNames(needed.names) {
		content, err := r.Content(ctx, name)
		if err != nil {
			return err
		}
		if err := member(t, bundleObjects+name.String(), int64(len(content))); err != nil {
			return err
		}
		if _, err := io.WriteString(t, content); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func member(t *tar.Writer, name string, size int64) error {
	return t.WriteHeader(header(name, size))
}

// A contentsOf gathers the names of the contents that records need.
type contentsOf struct {
	reader *Reader
	names  map[fingerprint.Digest]struct{}
}

func (c *contentsOf) record(ctx context.Context, rec Record) error {
	for _, name := range []fingerprint.Digest{rec.Decisions, rec.Response, rec.Lowered} {
		if !name.IsZero() {
			c.names[name] = struct{}{}
		}
	}
	if _, done := c.names[fingerprint.Digest(rec.Recipe)]; done {
		return nil
	}
	c.names[fingerprint.Digest(rec.Recipe)] = struct{}{}
	src, err := c.reader.Content(ctx, rec.Sections())
	if err != nil {
		return err
	}
	recipe, err := composer.ParseRecipe([]byte(src))
	if err != nil {
		return &CorruptError{Name: rec.Sections(), Place: "recipe", Err: err}
	}
	for name := range recipe.Contents {
		c.names[name] = struct{}{}
	}
	if rec.Lowered.IsZero() {
		return nil
	}
	if src, err = c.reader.Content(ctx, fingerprint.Digest(rec.Recipe)); err != nil {
		return err
	}
	for name := range digestsIn(src) {
		if _, err := c.reader.Content(ctx, name); err == nil {
			c.names[name] = struct{}{}
		} else if !errors.Is(err, ErrNotFound) { // what is not there is a string that only looks like a name
			return err
		}
	}
	return nil
}
