package fingerprint

import "testing"

// TestBytesMoveSeldom: however deep objects are nested, only the innermost are put in order when they close, so that no
// byte moves more than maxMoves times; those around them are left to the second pass.
func TestBytesMoveSeldom(t *testing.T) {
	for _, around := range []struct{ before, after string }{{"", ""}, {"[[", "]]"}, {`{"a":`, `,"b":0}`}} { // in order
		for depth := range 6 {
			doc := "1"
			for range depth {
				doc = `{"b":0,"a":` + around.before + doc + around.after + "}"
			}
			c := canonicalizer{src: []byte(doc)}
			if err := c.transcribe(); err != nil {
				t.Fatalf("%s: %v", doc, err)
			}
			if got, want := len(c.sorted), 2*max(0, depth-maxMoves); got != want {
				t.Errorf("%s: %d members are left to the second pass, want %d", doc, got, want)
			}
		}
	}
}
