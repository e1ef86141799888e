package storetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/replay"
)

// An Opener opens a store from a text, in whatever process: a path, the name of a schema.
type Opener func(ctx context.Context, place string) (replay.Store, error)

// Main is for the TestMain of a driver, which exits with what it returns: it lets the test program be run again as a
// process that records, which [Kill] and [Processes] do.
func Main(m *testing.M, open Opener) int {
	place := os.Getenv("QUIRE_STORETEST_PLACE")
	if place == "" {
		return m.Run()
	}
	turns, err := strconv.Atoi(os.Getenv("QUIRE_STORETEST_TURNS"))
	if err == nil {
		err = record(open, place, strings.Split(os.Getenv("QUIRE_STORETEST_SESSIONS"), ","), turns)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// record records turns of some sessions by turns, and writes a line for each that was acknowledged.
func record(open Opener, place string, sessions []string, turns int) error {
	store, err := open(context.Background(), place)
	if err != nil {
		return err
	}
	defer store.Close()
	var recorders []*replay.Recorder
	for _, id := range sessions {
		recorders = append(recorders, replay.NewRecorder(store, replay.Session{ID: id}))
	}
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 7))
	sections := []composer.Section{{ID: "system", Content: noise(rng, 30_000), Breakpoint: true}}
	for turn := range turns {
		sections = append(sections, composer.Section{ID: fmt.Sprint("message ", turn), Content: noise(rng, 700)})
		c, err := composer.Compose(sections, composer.Config{})
		if err != nil {
			return err
		}
		for i, rec := range recorders {
			r, err := rec.Record(context.Background(), c, replay.Turn{Response: []byte(noise(rng, 100))})
			if err != nil {
				return fmt.Errorf("%s, turn %d: %w", sessions[i], turn, err)
			}
			fmt.Println(strconv.Quote(r.Session), r.Turn, r.Digest())
		}
	}
	return nil
}

// noise makes a text that no other equals.
func noise(rng *rand.Rand, n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = "etaoin shrdlu"[rng.IntN(13)]
	}
	return string(text)
}

// start starts the test program as a process that records.
func start(place, sessions string, turns int) (*exec.Cmd, io.ReadCloser, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "QUIRE_STORETEST_PLACE="+place, "QUIRE_STORETEST_SESSIONS="+sessions, fmt.Sprint("QUIRE_STORETEST_TURNS=", turns))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	return cmd, out, cmd.Start()
}

// Kill has a process record into an empty place and kills it at any moment, as many times as rounds says. What it was
// told is recorded is there, and nothing is there by halves.
func Kill(t *testing.T, place string, open Opener, rounds int) {
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	acknowledged := map[string]bool{}
	for round := range rounds {
		cmd, out, err := start(place, fmt.Sprint("round ", round), 1<<30)
		must(t, err)
		lines := bufio.NewScanner(out)
		stop := rng.IntN(8)
		for n := 0; lines.Scan(); n++ {
			acknowledged[lines.Text()] = true
			if n == stop {
				time.Sleep(time.Duration(rng.IntN(3000)) * time.Microsecond)
				must(t, cmd.Process.Kill())
			}
		}
		cmd.Wait() // with the error of having been killed
	}
	found := Whole(t, place, open)
	for line := range acknowledged { // in any order
		if !found[line] {
			t.Errorf("acknowledged, but not there: %s", line)
		}
	}
	// Killed between the commit and the line: at most one a round.
	if len(acknowledged) < rounds || len(found) > len(acknowledged)+rounds {
		t.Errorf("%d rounds, %d turns acknowledged, %d found", rounds, len(acknowledged), len(found))
	}
	t.Logf("%d rounds, %d turns acknowledged, %d found", rounds, len(acknowledged), len(found))
}

// Processes has eight processes record into an empty place at once, each a session of its own and all one session
// together. Everything is there, in order, and no error of a lock surfaces.
func Processes(t *testing.T, place string, open Opener) {
	const processes, turns = 8, 12
	said := make([]string, processes)
	var group sync.WaitGroup
	for p := range processes {
		group.Go(func() {
			cmd, out, err := start(place, fmt.Sprintf("own %d,shared", p), turns)
			if err != nil {
				t.Error(err)
				return
			}
			all, err := io.ReadAll(out)
			if waitErr := cmd.Wait(); err != nil || waitErr != nil {
				t.Errorf("process %d: %v, %v", p, err, waitErr)
			}
			said[p] = string(all)
		})
	}
	group.Wait()
	found := Whole(t, place, open)
	if len(found) != 2*processes*turns {
		t.Errorf("%d turns; want %d", len(found), 2*processes*turns)
	}
	for p, lines := range said {
		for line := range strings.Lines(lines) {
			if !found[strings.TrimSuffix(line, "\n")] {
				t.Errorf("process %d was told that it recorded %s", p, line)
			}
		}
	}
}

// Whole wants a place in which everything that can be seen is whole: every object hashed, every reference followed, every
// session without gaps, every record compiled again, and no object without a record. It returns what is recorded, a line
// for each turn as the processes write it.
func Whole(t *testing.T, place string, open Opener) map[string]bool {
	t.Helper()
	store, err := open(t.Context(), place)
	must(t, err)
	defer store.Close()
	check, err := replay.Check(t.Context(), store, replay.CheckOptions{Damage: func(err error) { t.Error(err) }})
	must(t, err)
	if check.Orphans != 0 {
		t.Errorf("%d objects belong to no record", check.Orphans)
	}
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{})
	must(t, err)
	if !report.OK() || report.Verified != check.Records {
		t.Errorf("%v of %d records", report, check.Records)
	}
	found := map[string]bool{}
	seqs := map[string]int64{}
	for rec, err := range replay.NewReader(store).Records(t.Context(), replay.Query{}) {
		must(t, err)
		if seqs[rec.Session]++; rec.Seq != seqs[rec.Session] || rec.Turn != rec.Seq {
			t.Errorf("%s: seq %d, turn %d; want %d", rec.Session, rec.Seq, rec.Turn, seqs[rec.Session])
		}
		found[fmt.Sprint(strconv.Quote(rec.Session), " ", rec.Turn, " ", rec.Digest())] = true
	}
	return found
}
