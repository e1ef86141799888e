package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// errNoRecord says that an argument is neither a turn nor a digest of a record.
var errNoRecord = errors.New("no record")

// recordOf returns the record that SESSION@TURN, the fingerprint of a text or the record's own digest names, or as much
// of the beginning of one as is unique; of equal texts, the last.
func recordOf(ctx context.Context, store replay.Store, reader *replay.Reader, what string) (replay.Record, error) {
	if session, turn, ok := parseTurn(what); ok {
		return reader.Turn(ctx, session, turn)
	}
	if len(what) < replay.MinPrefix || strings.Trim(what, "0123456789abcdef") != "" {
		return replay.Record{}, errNoRecord
	}
	span := replay.Span{}
	if whole, err := fingerprint.ParseDigest(what); err == nil {
		span.Output = whole
	}
	e, err := entryOf(ctx, store, span, what)
	if errors.Is(err, errNoRecord) && !span.Output.IsZero() {
		e, err = entryOf(ctx, store, replay.Span{}, what)
	}
	if err != nil {
		return replay.Record{}, err
	}
	return reader.Record(ctx, e)
}

// entryOf looks at the entries of a span for digests that begin with the prefix.
func entryOf(ctx context.Context, store replay.Store, span replay.Span, prefix string) (found replay.Entry, err error) {
	var named fingerprint.Digest
	for e, err := range store.Entries(ctx, span) {
		if err != nil {
			return found, err
		}
		for _, name := range []fingerprint.Digest{e.Output, e.Record} {
			if !strings.HasPrefix(name.String(), prefix) {
				continue
			}
			if !named.IsZero() && name != named {
				return found, fmt.Errorf("%w: %s begins %s and %s", replay.ErrAmbiguous, prefix, named, name)
			}
			named, found = name, e
		}
	}
	if named.IsZero() {
		return found, errNoRecord
	}
	return found, nil
}

// parseTurn reads SESSION@TURN.
func parseTurn(text string) (session string, turn int64, ok bool) {
	at := strings.LastIndexByte(text, '@')
	if at < 1 {
		return "", 0, false
	}
	turn, err := strconv.ParseInt(text[at+1:], 10, 64)
	return text[:at], turn, err == nil && turn > 0
}

// unknown tells of an argument that names neither a file nor, since there is no store, a session.
func unknown(what string, err error) error {
	if _, _, turn := parseTurn(what); turn || !errors.Is(err, errNoStore) {
		return err
	}
	return fmt.Errorf("%s: no such file, and no session: %v", plain(what), err)
}
