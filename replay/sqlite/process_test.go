package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/sqlite"
)

// TestMain lets this program be its own child: one that records turns until it is done or killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("QUIRE_CHILD_STORE"); path != "" {
		turns, _ := strconv.Atoi(os.Getenv("QUIRE_CHILD_TURNS"))
		if err := child(path, strings.Split(os.Getenv("QUIRE_CHILD_SESSIONS"), ","), turns); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child records turns of some sessions in turn, and writes a line for each that was acknowledged.
func child(path string, sessions []string, turns int) error {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	var recorders []*replay.Recorder
	for _, id := range sessions {
		recorders = append(recorders, replay.NewRecorder(store, replay.Session{ID: id}))
	}
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 7))
	sections := []composer.Section{{ID: "system", Content: prose(rng, 30_000), Breakpoint: true}}
	for turn := 1; turn <= turns; turn++ {
		sections = append(sections, composer.Section{ID: fmt.Sprint("message ", turn), Content: prose(rng, 700)})
		c, err := composer.Compose(sections, composer.Config{})
		if err != nil {
			return err
		}
		for i, rec := range recorders {
			r, err := rec.Record(ctx, c, replay.Turn{Response: []byte(fmt.Sprint("answer ", turn))})
			if err != nil {
				return fmt.Errorf("%s, turn %d: %w", sessions[i], turn, err)
			}
			fmt.Printf("%s %d %s\n", r.Session, r.Turn, r.Output)
		}
	}
	return nil
}

func startChild(t *testing.T, path, sessions string, turns int) (*exec.Cmd, io.ReadCloser) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "QUIRE_CHILD_STORE="+path, "QUIRE_CHILD_SESSIONS="+sessions, fmt.Sprint("QUIRE_CHILD_TURNS=", turns))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// A process that records is killed at any moment, again and again. What it was told is recorded is there, and nothing
// is there by halves.
func TestKill(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 15
	}
	path := filepath.Join(t.TempDir(), "store.db")
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	acknowledged := map[string]string{} // by session and turn
	for round := range rounds {
		session := fmt.Sprint("round-", round)
		cmd, out := startChild(t, path, session, 1<<30)
		lines := bufio.NewScanner(out)
		stop := rng.IntN(8)
		for n := 0; lines.Scan(); n++ {
			if fields := strings.Fields(lines.Text()); len(fields) == 3 {
				acknowledged[fields[0]+"@"+fields[1]] = fields[2]
			}
			if n == stop {
				time.Sleep(time.Duration(rng.IntN(2000)) * time.Microsecond)
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
	}
	store := open(t, path)
	found := map[string]string{}
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{Each: func(o replay.Outcome) {
		if o.Divergence != nil {
			t.Error(o.Divergence)
		}
		found[fmt.Sprintf("%s@%d", o.Record.Session, o.Record.Turn)] = o.Record.Output.String()
	}})
	if err != nil {
		t.Fatal(err)
	}
	for turn, output := range acknowledged {
		if found[turn] != output {
			t.Errorf("%s was acknowledged with output %s; found %q", turn, output, found[turn])
		}
	}
	if len(acknowledged) < rounds || len(found) > len(acknowledged)+rounds {
		t.Errorf("%d rounds, %d turns acknowledged, %d found", rounds, len(acknowledged), len(found))
	}
	whole(t, store)
	t.Logf("%d rounds, %d turns acknowledged, %v", rounds, len(acknowledged), report)
}

// whole wants a store without damage.
func whole(t testing.TB, store replay.Store) replay.CheckReport {
	t.Helper()
	report, err := replay.Check(t.Context(), store, replay.CheckOptions{Damage: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Eight processes record into one file at once, each a session of its own and all one session together.
func TestProcesses(t *testing.T) {
	const processes, turns = 8, 12
	path := filepath.Join(t.TempDir(), "store.db")
	var group sync.WaitGroup
	for p := range processes {
		group.Go(func() {
			cmd, out := startChild(t, path, fmt.Sprintf("own-%d,shared", p), turns)
			said, err := io.ReadAll(out)
			if err == nil {
				err = cmd.Wait()
			}
			if n := strings.Count(string(said), "\n"); err != nil || n != 2*turns {
				t.Errorf("process %d: %d turns, %v", p, n, err)
			}
		})
	}
	group.Wait()
	store := open(t, path)
	report, err := replay.Verify(t.Context(), store, replay.Query{}, replay.Options{})
	if err != nil || report.Verified != 2*processes*turns || !report.OK() {
		t.Errorf("%v, %v", report, err)
	}
	turn := int64(0)
	for rec, err := range replay.NewReader(store).Records(t.Context(), replay.Query{Session: "shared"}) {
		if turn++; err != nil || rec.Seq != turn || rec.Turn != turn {
			t.Fatalf("seq %d, turn %d; want %d: %v", rec.Seq, rec.Turn, turn, err)
		}
	}
	whole(t, store)
}
