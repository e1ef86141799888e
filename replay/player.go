package replay

import (
	"context"
	"fmt"

	"github.com/quirehq/quire/fingerprint"
)

// A Player serves the recorded responses of a session by the fingerprint of the request's text. When one fingerprint was
// recorded several times, its responses come in the order of recording, each once. It never falls back to another
// answer. It is not safe for concurrent use.
type Player struct {
	session string
	reader  *Reader
	left    map[fingerprint.Digest][]fingerprint.Digest
	served  map[fingerprint.Digest]int
}

// NewPlayer returns a player of the responses that a session has now.
func NewPlayer(ctx context.Context, store Store, session string) (*Player, error) {
	p := &Player{session, NewReader(store), map[fingerprint.Digest][]fingerprint.Digest{}, map[fingerprint.Digest]int{}}
	for rec, err := range p.reader.Records(ctx, Query{Session: session}) {
		if err != nil {
			return nil, err
		}
		if !rec.Response.IsZero() {
			p.left[rec.Output] = append(p.left[rec.Output], rec.Response)
		}
	}
	return p, nil
}

// Next returns the next response to a request, byte for byte as it was recorded. Asked once more than recorded, or for
// what was never recorded, the error is [ErrNotFound].
func (p *Player) Next(ctx context.Context, request fingerprint.Digest) ([]byte, error) {
	left := p.left[request]
	if len(left) == 0 {
		return nil, fmt.Errorf("replay: session %q has %d responses to request %s, all served: %w", p.session, p.served[request], request, ErrNotFound)
	}
	response, err := p.reader.Content(ctx, left[0])
	if err != nil {
		return nil, err
	}
	p.left[request] = left[1:]
	p.served[request]++
	return []byte(response), nil
}
