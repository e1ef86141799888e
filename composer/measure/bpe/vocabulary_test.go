package bpe_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

// TestVocabulariesAreOpenAIs compares with the hashes that OpenAI's tiktoken has in its source (openai_public.py) for
// the files o200k_base.tiktoken and cl100k_base.tiktoken.
func TestVocabulariesAreOpenAIs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, hash string
		tokens     int
	}{
		{"o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", 199998},
		{"cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", 100256},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := encoding(t, tt.name)
			h := sha256.New()
			for id := range tt.tokens {
				token, err := e.AppendText(nil, uint32(id))
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(h, "%s %d\n", base64.StdEncoding.EncodeToString(token), id)
			}
			if got := hex.EncodeToString(h.Sum(nil)); got != tt.hash {
				t.Errorf("SHA-256 of the vocabulary = %s, want %s", got, tt.hash)
			}
			_, err := e.AppendText(nil, 0, uint32(tt.tokens))
			if err == nil {
				t.Fatalf("no error for token %d", tt.tokens)
			}
			for _, part := range []string{"bpe: token 1 is", fmt.Sprint(tt.tokens), tt.name} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q lacks %q", err, part)
				}
			}
		})
	}
}
