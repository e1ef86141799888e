// Command check compares the table of token ids that composer/measure/bpe is tested with, which npm's tiktoken made,
// with a second implementation, github.com/pkoukk/tiktoken-go:
//
//	go run ./check ids.jsonl.gz
//
// The two are known to differ on one kind of text, which is counted apart: pkoukk's letters and digits are those of Go's
// Unicode tables, older than the frozen ones. Any other difference fails.
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: check IDS")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

type row struct {
	Why, Text string
	O200k     []int `json:"o200k_base"`
	CL100k    []int `json:"cl100k_base"`
}

func run(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return err
	}
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	o200k, err := tiktoken.GetEncoding("o200k_base")
	if err != nil {
		return err
	}
	cl100k, err := tiktoken.GetEncoding("cl100k_base")
	if err != nil {
		return err
	}
	rows, newer, wrong := 0, 0, 0
	for d := json.NewDecoder(z); ; rows++ {
		var r row
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("row %d: %w", rows, err)
		}
		if slices.Equal(o200k.EncodeOrdinary(r.Text), r.O200k) && slices.Equal(cl100k.EncodeOrdinary(r.Text), r.CL100k) {
			continue
		}
		switch {
		case strings.ContainsFunc(r.Text, unassigned):
			newer++
		default:
			wrong++
			fmt.Fprintf(os.Stderr, "%q (%s) differs\n", r.Text, r.Why)
		}
	}
	fmt.Printf("%d strings: %d differ for a code point newer than Unicode %s, %d for no known reason\n", rows, newer, unicode.Version, wrong)
	if rows == 0 || wrong > 0 {
		return fmt.Errorf("%d of %d strings differ", wrong, rows)
	}
	return nil
}

// unassigned is true for what Go's tables have no character for.
func unassigned(r rune) bool {
	return unicode.Is(unicode.Cn, r)
}
