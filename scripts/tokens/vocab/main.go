// Command vocab turns a .tiktoken file into the merge file that composer/measure/bpe embeds.
//
//	go run ./vocab NAME OUT
//
// NAME is a vocabulary that tiktoken-go-loader carries, OUT the file to write. The format is described where it is
// read, in composer/measure/bpe/vocabulary.go.
package main

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: vocab NAME OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "vocab:", err)
		os.Exit(1)
	}
}

func run(name, out string) error {
	text, err := assets.Assets.ReadFile(name + ".tiktoken")
	if err != nil {
		return err
	}
	tokens, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	data, err := encode(tokens)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(out, data, 0o644)
}

// parse reads lines of "base64 rank", ranks counting from 0.
func parse(text string) ([]string, error) {
	var tokens []string
	for line := range strings.Lines(text) {
		encoded, rank, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok {
			return nil, fmt.Errorf("line %d: want two fields", len(tokens)+1)
		}
		token, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", len(tokens)+1, err)
		}
		if rank != strconv.Itoa(len(tokens)) {
			return nil, fmt.Errorf("line %d: rank %s, want %d", len(tokens)+1, rank, len(tokens))
		}
		tokens = append(tokens, string(token))
	}
	return tokens, nil
}

// encode writes each token of several bytes as the two earlier tokens it is made of. Where there are several such
// pairs, the one whose later member is earliest keeps the numbers small.
func encode(tokens []string) ([]byte, error) {
	ids := make(map[string]int, len(tokens))
	for id, token := range tokens {
		if _, twice := ids[token]; twice {
			return nil, fmt.Errorf("token %q twice", token)
		}
		ids[token] = id
	}
	const bytesFirst = 256
	var raw [6][]byte // low, middle, high byte of every left half, then of every right half
	var head []byte
	for id, token := range tokens {
		if id < bytesFirst {
			if len(token) != 1 {
				return nil, fmt.Errorf("token %d is %q, want a single byte", id, token)
			}
			head = append(head, token...)
			continue
		}
		left, right := -1, -1
		for cut := 1; cut < len(token); cut++ {
			l, okL := ids[token[:cut]]
			r, okR := ids[token[cut:]]
			if okL && okR && max(l, r) < id && (left < 0 || max(l, r) < max(left, right)) {
				left, right = l, r
			}
		}
		if left < 0 {
			return nil, fmt.Errorf("token %d (%q) is no two earlier tokens", id, token)
		}
		for i, half := range []int{left, right} {
			for j := range 3 {
				raw[3*i+j] = append(raw[3*i+j], byte(half>>(8*j)))
			}
		}
	}

	var out bytes.Buffer
	out.Write([]byte{byte(len(tokens)), byte(len(tokens) >> 8), byte(len(tokens) >> 16)})
	out.Write(head)
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	for _, column := range raw {
		if _, err := w.Write(column); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
