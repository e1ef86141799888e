package replay

import (
	"archive/tar"
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
)

// Limits bound what [Import] accepts. Zero fields stand for the defaults; negative ones are an error.
type Limits struct {
	Bytes  int64 // of the whole archive, uncompressed; 0: 4 GiB
	Object int64 // of one member; 0: 256 MiB
}

// An Imported says what [Import] stored.
type Imported struct {
	Sessions, Records, Objects int64 // that the bundle holds
	New                        int64 // records that the store did not have
}

// Import reads a bundle and stores what it holds. Everything is checked before a record is stored: the form of the
// archive, every digest, that nothing is missing and nothing is there that no record needs, and that each session goes
// on where the store's session of that name ends. A record that the store has already is passed over. After an error no
// record of the bundle is stored. A reader that can seek is read twice, and of a bundle that is refused nothing is stored
// at all; of any other reader objects may be, which [Clean] removes.
func Import(ctx context.Context, store Store, r io.Reader, limits Limits) (imported Imported, err error) {
	if again, ok := r.(io.Seeker); ok {
		if start, err := again.Seek(0, io.SeekCurrent); err == nil {
			if _, err := importBundle(ctx, &importer{store: new(Memory), onto: store, dry: true}, r, limits); err != nil {
				return imported, err
			}
			if _, err := again.Seek(start, io.SeekStart); err != nil {
				return imported, fmt.Errorf("replay: import: %w", err)
			}
		}
	}
	return importBundle(ctx, &importer{store: store, onto: store}, r, limits)
}

func importBundle(ctx context.Context, in *importer, r io.Reader, limits Limits) (imported Imported, err error) {
	if limits.Bytes < 0 || limits.Object < 0 {
		return imported, fmt.Errorf("replay: import: limits of %d and %d bytes; want 0 or more", limits.Bytes, limits.Object)
	}
	limits.Bytes, limits.Object = cmp.Or(limits.Bytes, 4<<30), cmp.Or(limits.Object, 256<<20)
	frame := &frameReader{src: bufio.NewReader(r)}
	z, err := zstd.NewReader(frame, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderLowmem(true))
	if err != nil {
		return imported, fmt.Errorf("replay: %w: %w", ErrBundle, err)
	}
	defer z.Close()
	counted := &io.LimitedReader{R: z, N: min(limits.Bytes, math.MaxInt64-1) + 1}
	in.tar, in.limits, in.objects = tar.NewReader(counted), limits, map[fingerprint.Digest]bool{}
	err = in.read(ctx)
	if err == nil {
		// The archive ended; so must all that is around it.
		var rest [1]byte
		if n, readErr := io.ReadFull(counted, rest[:]); n > 0 {
			err = fmt.Errorf("%w: bytes behind the archive", ErrBundle)
		} else if readErr != io.EOF {
			err = fmt.Errorf("%w: %w", ErrBundle, readErr)
		}
	}
	if counted.N <= 0 {
		err = fmt.Errorf("%w: more than %d bytes", ErrBundle, limits.Bytes)
	}
	if err == nil {
		err = in.finish(ctx)
	}
	if err != nil {
		return imported, fmt.Errorf("replay: import: %w", err)
	}
	in.imported.Objects = int64(len(in.objects))
	return in.imported, nil
}

type importer struct {
	store    Store // of the objects
	onto     Store // of the records
	dry      bool  // store no record, and of the objects only recipes, which have to be read
	recipes  map[fingerprint.Digest]bool
	tar      *tar.Reader
	limits   Limits
	epoch    int64
	records  []Record
	lines    []string
	objects  map[fingerprint.Digest]bool // in the bundle; true once something refers to it
	batch    []Object
	size     int
	imported Imported
}

func (in *importer) read(ctx context.Context) (err error) {
	if _, in.epoch, err = in.store.Missing(ctx, nil); err != nil {
		return err
	}
	version, err := in.member(bundleVersion)
	if err == nil && version != versionLine {
		err = fmt.Errorf("%w: it says %.40q; want %q", ErrBundle, version, versionLine)
	}
	if err != nil {
		return err
	}
	log, err := in.member(bundleLog)
	if err != nil {
		return err
	}
	if err := in.log(log); err != nil {
		return err
	}
	before := ""
	for {
		h, err := in.header()
		if err == io.EOF {
			return in.flush(ctx)
		}
		if err != nil {
			return err
		}
		hex, ok := strings.CutPrefix(h.Name, bundleObjects)
		name, parseErr := fingerprint.ParseDigest(hex)
		if !ok || parseErr != nil || hex <= before {
			return fmt.Errorf("%w: member %.100q; want %s and a digest, in ascending order", ErrBundle, h.Name, bundleObjects)
		}
		before = hex
		content, err := in.content(h)
		if err != nil {
			return err
		}
		if sum := fingerprint.SumString(content); sum != name {
			return &CorruptError{Name: name, Place: "bundle", Err: fmt.Errorf("the bytes have the digest %s", sum)}
		}
		if err := in.object(ctx, name, content); err != nil {
			return err
		}
	}
}

// member reads the next member, which has to have that name.
func (in *importer) member(name string) (string, error) {
	h, err := in.header()
	if err == io.EOF || err == nil && h.Name != name {
		return "", fmt.Errorf("%w: no member %q where it belongs", ErrBundle, name)
	}
	if err != nil {
		return "", err
	}
	return in.content(h)
}

// header reads the next header. It has to say what [Export] writes, and no more.
func (in *importer) header() (*tar.Header, error) {
	h, err := in.tar.Next()
	if err == io.EOF {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBundle, err)
	}
	want := header(h.Name, h.Size)
	if h.Typeflag != want.Typeflag || h.Mode != want.Mode || h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname+h.Linkname != "" ||
		len(h.PAXRecords) > 0 || h.ModTime.Unix() != 0 || h.Devmajor != 0 || h.Devminor != 0 {
		return nil, fmt.Errorf("%w: member %.100q is no plain file without metadata", ErrBundle, h.Name)
	}
	if h.Size > in.limits.Object {
		return nil, fmt.Errorf("%w: member %.100q claims %d bytes; the limit is %d", ErrBundle, h.Name, h.Size, in.limits.Object)
	}
	return h, nil
}

func (in *importer) content(h *tar.Header) (string, error) {
	var b strings.Builder
	// It grows with what is really there, whatever the header claims.
	if _, err := io.Copy(&b, in.tar); err != nil {
		return "", fmt.Errorf("%w: member %.100q: %w", ErrBundle, h.Name, err)
	}
	return b.String(), nil
}

func (in *importer) log(log string) error {
	if log != "" && !strings.HasSuffix(log, "\n") {
		return fmt.Errorf("%w: %s does not end in a newline", ErrBundle, bundleLog)
	}
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		rec, err := ParseRecord([]byte(line))
		if err != nil {
			return fmt.Errorf("%w: %s, line %d: %w", ErrBundle, bundleLog, len(in.records)+1, err)
		}
		if n := len(in.records); n > 0 {
			prev := in.records[n-1]
			follows := rec.Session > prev.Session
			if rec.Session == prev.Session {
				follows = rec.Seq == prev.Seq+1 && rec.Prev == fingerprint.SumString(in.lines[n-1])
			}
			if !follows {
				return fmt.Errorf("%w: %s, line %d: %s@%d does not follow %s@%d", ErrBundle, bundleLog, n+1, rec.Session, rec.Turn, prev.Session, prev.Turn)
			}
		}
		if rec.Seq == 1 && !rec.Prev.IsZero() {
			return fmt.Errorf("%w: %s, line %d: the first record of %q names one before it", ErrBundle, bundleLog, len(in.records)+1, rec.Session)
		}
		in.records, in.lines = append(in.records, rec), append(in.lines, line)
	}
	in.recipes = make(map[fingerprint.Digest]bool)
	for _, rec := range in.records {
		in.recipes[fingerprint.Digest(rec.Recipe)], in.recipes[rec.Sections()] = true, true
	}
	return nil
}

// object stores one content, in batches.
func (in *importer) object(ctx context.Context, name fingerprint.Digest, content string) error {
	in.objects[name] = false
	if in.dry && !in.recipes[name] {
		return nil
	}
	in.batch = appendObjects(in.batch, name, content)
	if in.size += len(content); in.size < 4<<20 && len(in.batch) < 1000 {
		return nil
	}
	return in.flush(ctx)
}

func (in *importer) flush(ctx context.Context) error {
	err := in.store.Append(ctx, Batch{Epoch: in.epoch, Objects: in.batch})
	in.batch, in.size = in.batch[:0], 0
	return err
}

// finish checks that the bundle is whole, and stores its records.
func (in *importer) finish(ctx context.Context) error {
	r := NewReader(in.store)
	need := func(name fingerprint.Digest, rec Record) error {
		if name.IsZero() {
			return nil
		}
		if _, there := in.objects[name]; !there {
			return fmt.Errorf("%w: %s@%d needs the object %s, which is not in it", ErrBundle, rec.Session, rec.Turn, name)
		}
		in.objects[name] = true
		return nil
	}
	for _, rec := range in.records {
		done := in.objects[fingerprint.Digest(rec.Recipe)]
		for _, name := range []fingerprint.Digest{fingerprint.Digest(rec.Recipe), rec.Lowered, rec.Decisions, rec.Response} {
			if err := need(name, rec); err != nil {
				return err
			}
		}
		if done {
			continue
		}
		src, err := r.Content(ctx, rec.Sections())
		if err != nil {
			return err
		}
		recipe, err := composer.ParseRecipe([]byte(src))
		if err != nil {
			return fmt.Errorf("%w: the recipe of %s@%d: %w", ErrBundle, rec.Session, rec.Turn, err)
		}
		for name := range recipe.Contents {
			if err := need(name, rec); err != nil {
				return err
			}
		}
		if rec.Lowered.IsZero() {
			continue
		}
		if src, err = r.Content(ctx, fingerprint.Digest(rec.Recipe)); err != nil {
			return err
		}
		for name := range digestsIn(src) {
			if _, there := in.objects[name]; there {
				in.objects[name] = true
			}
		}
	}
	for _, name := range sortedNames(in.objects) {
		if !in.objects[name] {
			return fmt.Errorf("%w: no record needs the object %s", ErrBundle, name)
		}
	}
	return in.append(ctx)
}

// append stores the records that the store does not have.
func (in *importer) append(ctx context.Context) error {
	batch := Batch{Epoch: in.epoch}
	var head Head
	for i, rec := range in.records {
		entry := rec.entry(fingerprint.SumString(in.lines[i]))
		if i == 0 || rec.Session != in.records[i-1].Session {
			in.imported.Sessions++
			head = Head{}
			for h, err := range in.onto.Heads(ctx, rec.Session) {
				if err != nil {
					return err
				}
				head = h
			}
		}
		in.imported.Records++
		switch {
		case head.Last > 0 && rec.Seq < head.First:
			return fmt.Errorf("%w: %s@%d is older than what the store has of the session", ErrConflict, rec.Session, rec.Turn)
		case rec.Seq <= head.Last:
			for e, err := range in.onto.Entries(ctx, Span{Session: rec.Session, From: rec.Seq, To: rec.Seq}) {
				if err != nil {
					return err
				}
				if e != entry {
					return fmt.Errorf("%w: the store has another record as %s@%d", ErrConflict, e.Session, e.Turn)
				}
			}
			continue
		case head.Last > 0 && rec.Seq == head.Last+1 && rec.Prev != head.Record:
			return fmt.Errorf("%w: %s@%d does not follow the store's last record of the session", ErrConflict, rec.Session, rec.Turn)
		}
		in.imported.New++
		batch.Entries = append(batch.Entries, entry)
		batch.Objects = appendObjects(batch.Objects, entry.Record, in.lines[i])
	}
	if in.dry {
		return nil
	}
	return in.onto.Append(ctx, batch)
}
