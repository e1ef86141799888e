package fingerprint_test

import (
	"errors"
	"fmt"

	"github.com/quirehq/quire/fingerprint"
)

func ExampleSum() {
	fmt.Println(fingerprint.Sum([]byte("You are a careful assistant.\n")))
	// The same as: printf 'You are a careful assistant.\n' | b3sum

	// Output:
	// 88337ee1000a8195ed710a8329f5b7517b60f515b0cd3b4c6e88ece90469828c
}

func ExampleSumString() {
	fmt.Println(fingerprint.SumString("") == fingerprint.Sum(nil))
	fmt.Println(fingerprint.SumString(""))
	// Output:
	// true
	// af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262
}

func ExampleParseDigest() {
	_, err := fingerprint.ParseDigest("AF1349B9F5F9A1A6A0404DEA36DCC9499BCB25C9ADC112B7CC9A93CAE41F3262")
	fmt.Println(err)
	// Output: fingerprint: digest: byte 0 is "A", want 64 lower-case hex digits
}

func ExampleDigest_MarshalText() {
	text, _ := fingerprint.SumString("").MarshalText()
	fmt.Printf("%s\n", text)
	// Output: af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262
}

// Prefixes of a growing text are named as it grows, and a copy of the hasher saves hashing a shared
// prefix again.
func ExampleHasher() {
	var h fingerprint.Hasher
	h.WriteString("shared prefix, ")
	fmt.Println(h.Digest() == fingerprint.SumString("shared prefix, "))

	other := h
	h.WriteString("then this")
	other.WriteString("then that")
	fmt.Println(h.Digest() == fingerprint.SumString("shared prefix, then this"))
	fmt.Println(other.Digest() == fingerprint.SumString("shared prefix, then that"))

	h.Reset()
	fmt.Println(h.Digest() == fingerprint.Sum(nil))
	// Output:
	// true
	// true
	// true
	// true
}

func ExampleFrame() {
	fmt.Println(fingerprint.Frame("ab", "c"))
	fmt.Println(fingerprint.Frame("ab", "c") == fingerprint.Frame("a", "bc"))
	// Output:
	// a0968c014f3fc7bd1a7d9a8d1ad1177eb379bd2f05e56309eb4e20347c5e7eba
	// false
}

func ExampleCacheKey() {
	acme := fingerprint.CacheKey("acme", "model-1", "question")
	other := fingerprint.CacheKey("other", "model-1", "question")
	fmt.Println(acme)
	fmt.Println(acme == other)
	// Output:
	// 78a8916d36425cdfa35005126a5dc804392a5e188b94c7972ece939e4cfd72b3
	// false
}

func ExampleParseKey() {
	key, err := fingerprint.ParseKey("a0968c014f3fc7bd1a7d9a8d1ad1177eb379bd2f05e56309eb4e20347c5e7eba")
	fmt.Println(key == fingerprint.Frame("ab", "c"), err)
	// Output: true <nil>
}

func ExampleCanonical() {
	schema := []byte(`{
		"type": "object",
		"properties": {"path": {"type": "string"}, "limit": {"type": "integer", "default": 1e2}},
		"$comment": "\u00e9"
	}`)
	canonical, err := fingerprint.Canonical(schema)
	fmt.Println(string(canonical), err)
	// Output: {"$comment":"é","properties":{"limit":{"default":100,"type":"integer"},"path":{"type":"string"}},"type":"object"} <nil>
}

func ExampleAppendCanonical() {
	body := []byte("tools: ")
	body, err := fingerprint.AppendCanonical(body, []byte(`[ {"b": 2, "a": 1} ]`))
	fmt.Println(string(body), err)
	// Output: tools: [{"a":1,"b":2}] <nil>
}

func ExampleAppendJSONString() {
	fmt.Println(string(fingerprint.AppendJSONString(nil, "<b>\"tab\":\t\x1f</b>")))
	// Output: "<b>\"tab\":\t\u001f</b>"
}

func ExampleJSONError() {
	_, err := fingerprint.Canonical([]byte("{\n  \"id\": 9007199254740993\n}"))
	var where *fingerprint.JSONError
	if errors.As(err, &where) && errors.Is(err, fingerprint.ErrInexactInteger) {
		fmt.Printf("line %d, column %d, byte %d: %s\n", where.Line, where.Column, where.Offset, where.Pointer)
	}
	// Output: line 2, column 9, byte 10: /id
}
