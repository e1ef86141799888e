package request

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quirehq/quire/fingerprint"
)

// fingerprintVersion is framed into every request fingerprint and changes with the way they are made.
const fingerprintVersion = "quire request fingerprint v1"

// TransportFields returns the members of a body that say how an answer travels and is accounted, and not what is asked:
// metadata, safety_identifier, stream, stream_options, user.
func TransportFields() []string {
	return []string{"metadata", "safety_identifier", "stream", "stream_options", "user"}
}

// Fingerprint names what a request body asks: two bodies have the same if and only if they have the same canonical JSON
// once the members named in transport are left out at the top. [TransportFields] is a good list; nil leaves out nothing.
//
// All else counts, members that nobody here knows included. An absent member differs from an explicit default, null from
// absent, and one cache marker from none. The list is part of what is named, so fingerprints that were made under
// different lists never match by mistake: it is
//
//	fingerprint.Frame("quire request fingerprint v1", the canonical JSON, the names in byte order, each once…)
//
// A body that is not an object, or has no canonical form (see [fingerprint.Canonical]), is an error.
func Fingerprint(body []byte, transport []string) (fingerprint.Key, error) {
	canonical, err := fingerprint.Canonical(body)
	if err != nil {
		return fingerprint.Key{}, fmt.Errorf("request: fingerprint: %w", err)
	}
	if canonical[0] != '{' {
		return fingerprint.Key{}, errors.New("request: fingerprint: the body is no object; want what is sent to a provider")
	}
	left := slices.Compact(slices.Sorted(slices.Values(transport)))
	canonical = without(canonical, left)
	parts := append([]string{fingerprintVersion, string(canonical)}, left...)
	return fingerprint.Frame(parts...), nil
}

// without returns an object in canonical form without some of its members.
func without(object []byte, names []string) []byte {
	d := jsontext.NewDecoder(bytes.NewBuffer(object))
	_, _ = d.ReadToken() // canonical JSON has no errors
	out := append(make([]byte, 0, len(object)), '{')
	for d.PeekKind() == '"' {
		name, _ := d.ReadToken()
		left := slices.Contains(names, name.String())
		spelled := fingerprint.AppendJSONString(nil, name.String())
		value, _ := d.ReadValue()
		if left {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, spelled...)
		out = append(out, ':')
		out = append(out, value...)
	}
	return append(out, '}')
}
