// Package bpe counts tokens as the tokenizers of OpenAI models do: byte-pair encodings o200k_base and cl100k_base.
//
// An [Encoding] gives counts and token ids. [O200kBase] and [CL100kBase] are its counts as a [measure.Measure] that
// remembers the sizes of texts it has seen. Both are for concurrent use.
//
// The ids are those of the encode_ordinary of OpenAI's tiktoken: what looks like a special token ("<|endoftext|>") is
// ordinary text. Vocabularies and Unicode tables are part of this package and change with its version only, never with
// Go's. Time is linear in the text, and of the order of n log n in its longest word, run of symbols or run of white
// space; nothing is allocated once the first calls have made their working memory.
//
// A program that imports this package is about 1.3 MB larger. A vocabulary is unpacked when it is first used.
//
// Text must be valid UTF-8. On other bytes nothing panics and ids still stand for exactly the bytes given, but they are
// not those of any other tokenizer. Counts do not add up: two texts joined may have fewer tokens than apart, or more.
package bpe

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/quirehq/quire/composer/measure"
)

const (
	nameO200k  = "o200k_base"
	nameCL100k = "cl100k_base"
)

var (
	//go:embed o200k_base.merges
	o200kFile string
	//go:embed cl100k_base.merges
	cl100kFile string

	o200kVocabulary  = sync.OnceValue(func() *vocabulary { return mustDecode(o200kFile) })
	cl100kVocabulary = sync.OnceValue(func() *vocabulary { return mustDecode(cl100kFile) })
)

// An Encoding is a vocabulary and the rule that cuts a text into the pieces within which it is applied. It remembers
// nothing of a text. [EncodingByName] has them; the zero value is none of them and must not count.
type Encoding struct {
	name       string
	next       splitter
	vocabulary func() *vocabulary
}

// EncodingByName returns the encoding called o200k_base or cl100k_base, and whether the name is one of these.
func EncodingByName(name string) (Encoding, bool) {
	switch name {
	case nameO200k:
		return Encoding{nameO200k, splitO200k, o200kVocabulary}, true
	case nameCL100k:
		return Encoding{nameCL100k, splitCL100k, cl100kVocabulary}, true
	}
	return Encoding{}, false
}

// Name returns the name of the encoding.
func (e Encoding) Name() string { return e.name }

// Count returns the number of tokens of text.
func (e Encoding) Count(text string) int64 {
	count, _ := e.encode(nil, text, false)
	return count
}

// AppendTokens appends the ids of the tokens of text to dst.
func (e Encoding) AppendTokens(dst []uint32, text string) []uint32 {
	_, dst = e.encode(dst, text, true)
	return dst
}

// AppendText appends the bytes that the tokens stand for to dst: for the tokens of a text, that text. An id that the
// encoding does not have, as those of its special tokens, is an error that tells its index; the bytes of the tokens
// before it are appended.
func (e Encoding) AppendText(dst []byte, tokens ...uint32) ([]byte, error) {
	v := e.vocabulary()
	for i, id := range tokens {
		if int64(id) >= int64(v.size()) {
			return dst, fmt.Errorf("bpe: token %d is %d, want less than %d in %s", i, id, v.size(), e.name)
		}
		dst = append(dst, v.token(int(id))...)
	}
	return dst, nil
}

// mergers keeps working memory between calls.
var mergers = sync.Pool{New: func() any { return new(merger) }}

// encode counts the tokens of text and, if they are wanted, appends them to dst.
func (e Encoding) encode(dst []uint32, text string, wanted bool) (int64, []uint32) {
	v := e.vocabulary()
	m := mergers.Get().(*merger)
	defer mergers.Put(m)
	var count int64
	for at := 0; at < len(text); {
		end := e.next(text, at)
		if id := v.find(text, at, end); id != none {
			count++
			if wanted {
				dst = append(dst, id)
			}
		} else {
			tokens := m.merge(v, text, at, end)
			count += int64(len(tokens))
			if wanted {
				dst = append(dst, tokens...)
			}
		}
		at = end
	}
	return count, dst
}

// O200kBase counts tokens of o200k_base, the encoding of GPT-4o and later. See [CL100kBase] for the memory it keeps.
func O200kBase() measure.Measure { return remembering(nameO200k) }

// CL100kBase counts tokens of cl100k_base, the encoding of GPT-4 and GPT-3.5.
//
// The measure remembers the counts of up to 16,384 texts of 512 bytes and more by their BLAKE3 digests (about 1.5 MB
// when full, none of the texts): use one measure for many texts and it counts only those it does not know.
// Each call makes a measure with a memory of its own. What it remembers never changes a result.
func CL100kBase() measure.Measure { return remembering(nameCL100k) }

// ByName returns the measure called name, those of package measure included, and whether there is one.
func ByName(name string) (measure.Measure, bool) {
	if _, ok := EncodingByName(name); ok {
		return remembering(name), true
	}
	return measure.ByName(name)
}

// Names returns the names that [ByName] knows: those of [measure.Names], then o200k_base and cl100k_base. The slice is
// the caller's.
func Names() []string { return append(measure.Names(), nameO200k, nameCL100k) }
