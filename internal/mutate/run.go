package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

type options struct {
	pkg   string
	file  string // "": all of the package
	state string
	limit time.Duration
	jobs  int
	again bool // what survived, too
	quick bool // without the tests that take long
}

// A verdict is what became of a mutant.
type verdict string

const (
	killed   verdict = "killed"   // a test failed, or ran out of time
	survived verdict = "survived" // all tests passed
	unbuilt  verdict = "unbuilt"  // it is no program
)

// An entry is a line of the state file.
type entry struct {
	ID      string  `json:"id"` // of the file's bytes before and after
	Mutant  string  `json:"mutant"`
	Verdict verdict `json:"verdict"`
}

// A summary says what is known about the mutants of a package, from this run and those before it.
type summary struct {
	all       int
	count     map[verdict]int
	survivors []string
}

func (s summary) print(w io.Writer) {
	for _, m := range s.survivors {
		fmt.Fprintln(w, m)
	}
	left := s.all - s.count[killed] - s.count[survived] - s.count[unbuilt]
	fmt.Fprintf(w, "%d mutants: %d killed, %d survived, %d do not build, %d not tried yet\n",
		s.all, s.count[killed], s.count[survived], s.count[unbuilt], left)
}

// A candidate is a mutant with all it takes to try it.
type candidate struct {
	mutant
	id    string
	path  string // of the file, absolute
	whole []byte // the file, unchanged
}

// run tries mutants until all are tried or the time is up.
func run(ctx context.Context, o options, progress io.Writer) (summary, error) {
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	candidates, err := candidates(o)
	if err != nil {
		return summary{}, err
	}
	known, err := readState(o.state)
	if err != nil {
		return summary{}, err
	}
	left := slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool {
		v, tried := known[c.id]
		return tried && !(o.again && v == survived)
	})
	if len(left) == 0 {
		return summarise(candidates, known), nil
	}
	begin := time.Now()
	if out, err := test(ctx, o.pkg, time.Hour); err != nil {
		return summary{}, fmt.Errorf("the tests of %s fail as they are: %w\n%s", o.pkg, err, out)
	}
	patience := 30*time.Second + 5*time.Since(begin) // an endless loop is a change that was noticed
	temp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return summary{}, err
	}
	defer os.RemoveAll(temp)
	together, err := buildTogether(ctx, o.pkg, left, temp)
	if err != nil {
		return summary{}, err
	}
	fmt.Fprintf(progress, "%d of %d mutants are in one program; tests that cannot run there: %v\n", len(together.numbers), len(left), together.failing)

	if err := os.MkdirAll(filepath.Dir(o.state), 0o777); err != nil {
		return summary{}, err
	}
	state, err := os.OpenFile(o.state, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return summary{}, err
	}
	defer state.Close()
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		queue = make(chan candidate)
		wrong error
	)
	for range max(o.jobs, 1) {
		wg.Go(func() {
			for c := range queue {
				var err error
				v, final := together.try(ctx, c, o.quick)
				if !final {
					v, err = c.try(ctx, o.pkg, patience)
				}
				if ctx.Err() != nil {
					continue // it was cut short: nothing is known
				}
				mu.Lock()
				if err == nil {
					err = json.NewEncoder(state).Encode(entry{c.id, c.String(), v})
				}
				wrong = errors.Join(wrong, err)
				known[c.id] = v
				if v == survived {
					fmt.Fprintln(progress, "survived", c)
				}
				mu.Unlock()
			}
		})
	}
	for _, c := range left {
		mu.Lock()
		stop := wrong != nil || ctx.Err() != nil
		mu.Unlock()
		if stop {
			break
		}
		queue <- c
	}
	close(queue)
	wg.Wait()
	return summarise(candidates, known), wrong
}

// summarise counts the verdicts on candidates.
func summarise(candidates []candidate, known map[string]verdict) summary {
	s := summary{all: len(candidates), count: map[verdict]int{}}
	slices.SortFunc(candidates, func(a, b candidate) int {
		if a.file != b.file {
			return strings.Compare(a.file, b.file)
		}
		return a.start - b.start
	})
	for _, c := range candidates {
		if v, tried := known[c.id]; tried {
			s.count[v]++
			if v == survived {
				s.survivors = append(s.survivors, c.String())
			}
		}
	}
	return s
}

// candidates returns the mutants of a package, in the order of their ids, which is no order of places.
func candidates(o options) ([]candidate, error) {
	out, err := exec.Command("go", "list", "-json=Dir,GoFiles", o.pkg).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", o.pkg, err)
	}
	var listed struct {
		Dir     string
		GoFiles []string
	}
	if err := json.Unmarshal(out, &listed); err != nil {
		return nil, err
	}
	sources, swaps := map[string][]byte{}, map[string]string{}
	for _, name := range listed.GoFiles {
		src, err := os.ReadFile(filepath.Join(listed.Dir, name))
		if err != nil {
			return nil, err
		}
		more, err := constants(name, src)
		if err != nil {
			return nil, err
		}
		sources[name] = src
		maps.Copy(swaps, more)
	}
	byID := map[string]candidate{}
	for name, src := range sources {
		if o.file != "" && o.file != name {
			continue
		}
		found, err := mutants(name, src, swaps)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			changed := m.apply(src)
			h := sha256.New()
			fmt.Fprintf(h, "%s %d\n%s%s", name, len(src), src, changed)
			id := hex.EncodeToString(h.Sum(nil)[:12])
			byID[id] = candidate{m, id, filepath.Join(listed.Dir, name), src}
		}
	}
	if len(byID) == 0 {
		return nil, fmt.Errorf("%s %s: nothing to change", o.pkg, o.file)
	}
	var all []candidate
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		all = append(all, byID[id])
	}
	return all, nil
}

// readState reads what runs before this one found out.
func readState(name string) (map[string]verdict, error) {
	known := map[string]verdict{}
	src, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(src)); lines.Scan(); {
		var e entry
		if json.Unmarshal(lines.Bytes(), &e) == nil { // the last line may have been cut short
			known[e.ID] = e.Verdict
		}
	}
	return known, nil
}

// overlaid writes files, given by the paths that they stand in for, to the folder temp, and the file that says so to the
// go command.
func overlaid(temp string, files map[string][]byte) (overlay string, err error) {
	replace := map[string]string{}
	for path, src := range files {
		replace[path] = filepath.Join(temp, filepath.Base(path))
		err = errors.Join(err, os.WriteFile(replace[path], src, 0o666))
	}
	text, failed := json.Marshal(map[string]any{"Replace": replace})
	overlay = filepath.Join(temp, "overlay.json")
	return overlay, errors.Join(err, failed, os.WriteFile(overlay, text, 0o666))
}

// try runs the tests of the package with the mutant in the place of its file.
func (c candidate) try(ctx context.Context, pkg string, patience time.Duration) (verdict, error) {
	temp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	overlay, err := overlaid(temp, map[string][]byte{c.path: c.apply(c.whole)})
	if err != nil {
		return "", err
	}
	out, err := test(ctx, pkg, patience, "-overlay", overlay)
	switch {
	case err == nil:
		return survived, nil
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return unbuilt, nil
	}
	return killed, nil
}

// test runs the tests of a package. Not those of others that need it: a package's own tests are to notice.
func test(ctx context.Context, pkg string, patience time.Duration, flags ...string) ([]byte, error) {
	args := slices.Concat([]string{"test", "-short", "-failfast", "-count=1", "-vet=off", "-timeout", patience.String()}, flags, []string{pkg})
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "RAPID_NOFAILFILE=true", "RAPID_SHRINKTIME=0s")
	cmd.WaitDelay = time.Second
	return cmd.CombinedOutput()
}
