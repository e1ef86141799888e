package cachelab_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quirehq/quire/composer/cachelab"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/internal/samples"
)

// TestRecordedUsage plays every series with recorded usage and prints what was predicted beside it. It demands what holds
// of all of them together: most hits and misses come out as predicted, and most tokens.
func TestRecordedUsage(t *testing.T) {
	dir := samples.Folder(t)
	var table strings.Builder
	var sum cachelab.Accuracy
	play := func(name string, sent bool, turns []cachelab.Turn) {
		p, ok := profileOfTurns(turns)
		if !ok {
			return
		}
		turns = cachelab.Fit(turns)
		if !sent {
			for i := range turns { // of a body that was sent, no marker is no marker
				turns[i].Request = p.Mark(turns[i].Request)
			}
		}
		a := cachelab.Simulate(turns, p).Accuracy()
		if a.Turns == 0 || a.Input == 0 {
			return
		}
		fmt.Fprintf(&table, "%-70s %-22s %4d %9d %9d %9d %5d.%d%% %4d\n", name, p.Name, a.Turns, a.Input, a.Cached, a.Read,
			a.Absolute*100/a.Input, a.Absolute*1000/a.Input%10, a.Agree)
		sum.Turns, sum.Agree, sum.Input, sum.Cached = sum.Turns+a.Turns, sum.Agree+a.Agree, sum.Input+a.Input, sum.Cached+a.Cached
		sum.Read, sum.Absolute = sum.Read+a.Read, sum.Absolute+a.Absolute
	}
	var logs []cachelab.Turn // of one conversation, a call a file
	walk(t, filepath.Join(dir, "sessions"), func(path string) { play(short(path), false, read(t, path, nil)) })
	walk(t, filepath.Join(dir, "requests", "openhands-sdk"), func(path string) { logs = append(logs, read(t, path, nil)...) })
	play("openhands-sdk (six files)", true, logs)
	walk(t, filepath.Join(dir, "requests", "from-cassettes"), func(path string) {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		src, err := os.ReadFile(filepath.Join(dir, "cassettes", name+".yaml"))
		if err != nil {
			t.Logf("%s has no cassette: no usage to compare with", name)
			return
		}
		play("cassettes/"+short(path), true, read(t, path, usages(string(src))))
	})
	t.Logf("%-70s %-22s %4s %9s %9s %9s %7s %4s\n%s%d turns, %d as predicted; %d of %d tokens cached, %d predicted, off by %d",
		"series", "profile", "n", "input", "cached", "predicted", "off", "agree", table.String(), sum.Turns, sum.Agree, sum.Cached, sum.Input, sum.Read, sum.Absolute)
	if sum.Turns == 0 {
		t.Error("no turn has usage")
	}
	if sum.Agree*10 < sum.Turns*9 {
		t.Errorf("%d of %d turns hit or missed as predicted; want nine of ten", sum.Agree, sum.Turns)
	}
	if sum.Absolute*10 > sum.Input {
		t.Errorf("off by %d of %d tokens; want a tenth at most", sum.Absolute, sum.Input)
	}
}

func short(path string) string {
	name := filepath.Base(path)
	if len(name) > 58 {
		name = name[:58]
	}
	return name
}

func walk(t *testing.T, dir string, f func(path string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			f(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// read reads a file as a series, with usages from elsewhere, in order, where there are some.
func read(t *testing.T, path string, usages []sessions.Usage) []cachelab.Turn {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := sessions.Read(path, f, sessions.Options{SkipBad: true})
	if err != nil {
		return nil // the formats have tests of their own
	}
	for i := range s.Calls {
		if c := &s.Calls[i]; c.API == sessions.Gemini && c.Model == "" {
			c.Model = "gemini-2.5-flash" // it stands in the path of the request; all that are here are of this one
		}
	}
	if len(usages) == len(s.Calls) {
		for i := range usages {
			s.Calls[i].Usage = usages[i]
		}
	}
	var r cachelab.Reader
	turns, err := r.Turns(s.Calls, 10)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return turns
}

func profileOfTurns(turns []cachelab.Turn) (cachelab.Profile, bool) {
	for _, turn := range turns {
		if p, ok := cachelab.ProfileOf(turn.Request.Model); ok {
			return p, true
		}
	}
	return cachelab.Profile{}, false
}

var (
	packed = regexp.MustCompile(`!!binary \|\n((?:\s+[A-Za-z0-9+/=]+\n)+)`)
	input  = regexp.MustCompile(`[^_a-z](?:prompt_tokens|input_tokens|promptTokenCount)[\\"]*:\s*\\?\s*(\d+)`)
	cached = regexp.MustCompile(`"?(?:cached_tokens|cache_read_input_tokens|cachedContentTokenCount)[\\"]*:\s*\\?\s*(\d+)`)
	wrote  = regexp.MustCompile(`"?cache_creation_input_tokens[\\"]*:\s*\\?\s*(\d+)`)
)

// usages finds what each response of a cassette counted, by what it looks like: the responses are JSON, JSON in YAML, event
// streams and packed.
func usages(cassette string) (list []sessions.Usage) {
	for _, interaction := range strings.Split(cassette, "- request:")[1:] {
		_, response, _ := strings.Cut(interaction, "response:")
		if m := packed.FindStringSubmatch(response); m != nil {
			raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(m[1]), ""))
			if z, zErr := gzip.NewReader(bytes.NewReader(raw)); err == nil && zErr == nil {
				text, _ := io.ReadAll(z)
				response = string(text)
			}
		}
		number := func(r *regexp.Regexp) (n int64) {
			if m := r.FindAllStringSubmatch(response, -1); m != nil {
				n, _ = strconv.ParseInt(m[len(m)-1][1], 10, 64)
			}
			return n
		}
		u := sessions.Usage{Input: number(input), Cached: number(cached), Written: number(wrote)}
		if strings.Contains(response, "cache_read_input_tokens") {
			u.Input += u.Cached + u.Written
		}
		if u.Recorded = u.Input > 0; u.Recorded {
			list = append(list, u) // others are no model calls
		}
	}
	return list
}
