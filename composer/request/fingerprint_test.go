package request_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fingerprint"
)

// Bodies that ask different things, however alike they are: a key that leaves a parameter out serves wrong answers.
func TestFingerprintsDiffer(t *testing.T) {
	bodies := []string{
		`{"model":"m"}`, `{"model":"m","temperature":0}`, `{"model":"m","temperature":1}`, `{"model":"m","temperature":null}`,
		`{"model":"m","seed":1}`, `{"model":"m","seed":"1"}`, `{"model":"m","x-unknown":{"deep":[1]}}`, `{"model":"m","x-unknown":{"deep":[2]}}`,
		`{"model":"m","messages":[{"role":"user","content":"a"}]}`, `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]}`,
		`{"model":"m","messages":[{"role":"user","content":"a","stream":true}]}`,
		`{"model":"m","system":[{"type":"text","text":"s"}]}`, `{"model":"m","system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}]}`,
		`{"model":"é"}`, `{"model":"e\u0301"}`, `{}`,
	}
	seen := map[fingerprint.Key]string{}
	for _, body := range bodies {
		key, err := request.Fingerprint([]byte(body), request.TransportFields())
		if err != nil {
			t.Fatal(err)
		}
		if other, taken := seen[key]; taken {
			t.Errorf("%s and %s have one fingerprint", body, other)
		}
		seen[key] = body
	}
}

func TestFingerprintsAgree(t *testing.T) {
	want, err := request.Fingerprint([]byte(`{"a":{"x":1,"y":[true]},"b":"é"}`), request.TransportFields())
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{ "b": "\u00e9", "a": {"y": [true], "x": 1.0} }`,
		`{"stream":true,"a":{"x":1e0,"y":[true]},"user":"u","b":"é","stream_options":{"include_usage":true},"metadata":{},"safety_identifier":"s"}`,
	} {
		if got, err := request.Fingerprint([]byte(body), request.TransportFields()); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", body, got, err, want)
		}
	}
	// The list is part of what is named, in whatever order.
	plain := []byte(`{"a":1}`)
	of := func(transport ...string) fingerprint.Key {
		key, err := request.Fingerprint(plain, transport)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	if of() == of("stream") || of("stream", "user") == of("stream") || of("stream", "user") != of("user", "stream", "user") {
		t.Error("the list of transport fields is not part of the fingerprint")
	}
	if got := of("stream"); got != fingerprint.Frame("quire request fingerprint v1", `{"a":1}`, "stream") {
		t.Errorf("not the frame that is documented: %v", got)
	}
}

func TestFingerprintRefuses(t *testing.T) {
	for body, want := range map[string]string{
		`[]`: "the body is no object", `"a"`: "the body is no object", `1`: "the body is no object",
		`{"a":1,"a":1}`: "duplicate", `{"a":"\ud800"}`: "surrogate", "{\"a\":\"\xff\"}": "UTF-8", `{"a":9007199254740993}`: "9007199254740993", `{`: "",
	} {
		if _, err := request.Fingerprint([]byte(body), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", body, err, want)
		}
	}
}

// Leaving members out is what deleting them from a decoded body gives.
func TestFingerprintProperty(t *testing.T) {
	names := []string{"stream", "user", "model", "a", "\u2028", `"`, "\U0001F600", "\uffff"}
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.MapOf(rapid.SampledFrom(names), rapid.SampledFrom([]any{nil, 1, "x", []any{map[string]any{"stream": true}}})).Draw(t, "body")
		transport := rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "transport")
		src, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		got, err := request.Fingerprint(src, transport)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range transport {
			delete(body, name)
		}
		if src, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
		if want, err := request.Fingerprint(src, transport); err != nil || got != want {
			t.Fatalf("%v, want %v (%v)", got, want, err)
		}
	})
}

func ExampleFingerprint() {
	first, _ := request.Fingerprint([]byte(`{"model":"m","stream":true,"temperature":0}`), request.TransportFields())
	second, _ := request.Fingerprint([]byte(`{"temperature":0.0, "model":"m"}`), request.TransportFields())
	absent, _ := request.Fingerprint([]byte(`{"model":"m"}`), request.TransportFields())
	fmt.Println(first == second, first == absent)
	// Output: true false
}
