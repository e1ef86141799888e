package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/replay"
	"github.com/quirehq/quire/replay/storetest"
)

// A wire stands between a store and its server, and breaks when a commit passes.
type wire struct {
	url    string
	breaks atomic.Int32 // how many of the next commits break it
	after  bool         // the commit reaches the server, and the answer is lost; else the commit is lost too
	broken atomic.Int32
	lost   func() // called before the store learns that its commit is lost
}

// newWire starts a wire. Statements pass it with their text, not as names of prepared ones.
func newWire(t *testing.T, after bool) *wire {
	t.Helper()
	there, err := url.Parse(server(t))
	if err != nil {
		t.Fatal(err)
	}
	host, port := there.Query().Get("host"), "5432"
	if !strings.HasPrefix(host, "/") {
		t.Skip("needs a server on a socket of this machine")
	}
	dir, err := os.MkdirTemp("", "wire") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL."+port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	here := *there
	query := here.Query()
	query.Set("host", dir)
	query.Set("default_query_exec_mode", "exec")
	here.RawQuery = query.Encode()
	w := &wire{url: here.String(), after: after, lost: func() {}}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go w.carry(client, filepath.Join(host, ".s.PGSQL."+port))
		}
	}()
	return w
}

func (w *wire) carry(client net.Conn, to string) {
	defer client.Close()
	server, err := net.Dial("unix", to)
	if err != nil {
		return
	}
	defer server.Close()
	var cut atomic.Bool
	go func() {
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			if cut.Load() {
				return
			}
			if err != nil {
				client.Close()
				return
			}
			client.Write(buf[:n])
		}
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		if bytes.Contains(buf[:n], []byte("COMMIT\x00")) && w.breaks.Add(-1) >= 0 {
			w.broken.Add(1)
			cut.Store(true)
			if w.after {
				server.Write(buf[:n])
				server.(*net.UnixConn).CloseWrite()
				io.Copy(io.Discard, server) // until the server has committed and hung up
			}
			server.Close()
			w.lost()
			return
		}
		server.Write(buf[:n])
	}
}

// When the answer to a commit is lost, the batch is there once, whether or not it was committed.
func TestLostCommit(t *testing.T) {
	for _, after := range []bool{false, true} {
		for _, times := range []int32{1, 2, 5} {
			t.Run(fmt.Sprintf("after=%v/times=%d", after, times), func(t *testing.T) {
				w, schema := newWire(t, after), newSchema(t)
				store := openTenant(t, w.url, schema, "")
				for seq := range int64(3) {
					w.breaks.Store(times)
					if err := store.Append(t.Context(), batch("s", seq+1)); err != nil {
						t.Fatal(err)
					}
				}
				objectsOnly := replay.Batch{Objects: []replay.Object{object("x")}}
				w.breaks.Store(times)
				if err := store.Append(t.Context(), objectsOnly); err != nil {
					t.Error(err)
				}
				if n := len(entries(t, store)); n != 3 {
					t.Errorf("%d entries; want 3", n)
				}
				if after && w.broken.Load() < 4 {
					t.Errorf("%d commits were lost; want 4 or more", w.broken.Load())
				}
				// Another's batch in the same place is none of ours.
				if err := store.Append(t.Context(), batch("s", 3)); !errors.Is(err, replay.ErrConflict) {
					t.Errorf("the same again: %v; want %v", err, replay.ErrConflict)
				}
				other := batch("s", 3)
				other.Entries[0].Record = object("another").Name
				w.breaks.Store(times)
				if err := store.Append(t.Context(), other); !errors.Is(err, replay.ErrConflict) {
					t.Errorf("another entry of the same seq: %v; want %v", err, replay.ErrConflict)
				}
				w.breaks.Store(times)
				if err := store.Delete(t.Context(), replay.Deletion{Heads: heads(t, store)}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// When the answer to a commit is lost and the store is cleaned before the batch is looked for, the batch was there all the
// same, and a batch that was not there is stale.
func TestLostCommitThenCleaned(t *testing.T) {
	for after, want := range map[bool]error{true: nil, false: replay.ErrStale} { // any order
		w, schema := newWire(t, after), newSchema(t)
		store, cleaner := openTenant(t, w.url, schema, ""), openTenant(t, server(t), schema, "")
		w.lost = func() {
			if err := cleaner.Delete(t.Context(), replay.Deletion{Heads: heads(t, cleaner)}); err != nil {
				t.Error(err)
			}
		}
		w.breaks.Store(1)
		if err := store.Append(t.Context(), batch("s", 1)); !errors.Is(err, want) {
			t.Errorf("after=%v: %v; want %v", after, err, want)
		}
		if n := len(entries(t, store)); (n == 1) != (want == nil) {
			t.Errorf("after=%v: %d entries", after, n)
		}
	}
}

// record has eight recorders record turns, and wants all of them there.
func record(t *testing.T, schema string, turns int) {
	t.Helper()
	var group sync.WaitGroup
	for w := range 8 {
		store := openTenant(t, server(t), schema, "")
		session := fmt.Sprint("session ", w)
		var all []composer.Composition
		for turn := range turns {
			all = append(all, compose(t, session, turn))
		}
		group.Go(func() {
			rec := replay.NewRecorder(store, replay.Session{ID: session})
			for turn, c := range all {
				if _, err := rec.Record(t.Context(), c, replay.Turn{}); err != nil {
					t.Errorf("%s, turn %d: %v", session, turn, err)
					return
				}
			}
		})
	}
	group.Wait()
	if found := storetest.Whole(t, schema, open); len(found) != 8*turns {
		t.Errorf("%d turns; want %d", len(found), 8*turns)
	}
}

// until runs f again and again while g runs, and returns how many times it did.
func until(g, f func()) (n int) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		g()
	}()
	for {
		select {
		case <-done:
			return n
		default:
			f()
			n++
		}
	}
}

// Connections are cut by the server while they record.
func TestTerminated(t *testing.T) {
	schema := newSchema(t)
	openTenant(t, server(t), schema, "")
	a := newAdmin(t)
	const most = 100 // then they are left to finish: some machines connect no faster than this test cuts
	cut := 0
	until(func() { record(t, schema, 60) }, func() {
		n := 0
		if cut >= most {
			a.Exec(t.Context(), `SELECT pg_sleep(0.05)`)
			return
		}
		// One of those that are in the middle of something.
		err := a.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity
			WHERE pid <> pg_backend_pid() AND state <> 'idle' AND position($1 IN query) > 0 ORDER BY random() LIMIT 1) AS one`, pgx.Identifier{schema}.Sanitize()).Scan(&n)
		if err != nil {
			t.Error(err)
		}
		cut += n
		a.Exec(t.Context(), `SELECT pg_sleep(0.003)`)
	})
	if cut < 10 {
		t.Errorf("%d connections were cut; want 10 or more", cut)
	}
	t.Logf("%d connections cut", cut)
}

// The server crashes and recovers while eight stores record into it: a process of its is killed, upon which it ends all
// others and starts from its log. That takes a server of the test's own.
func TestServerCrash(t *testing.T) {
	if os.Getenv("QUIRE_TEST_CRASH") == "" {
		server(t)
		script, err := filepath.Abs("../../scripts/with-postgres")
		if err != nil {
			t.Fatal(err)
		}
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(script, exe, "-test.run=^TestServerCrash$", "-test.v", "-test.timeout=5m")
		if testing.Short() {
			cmd.Args = append(cmd.Args, "-test.short")
		}
		cmd.Env = append(os.Environ(), "QUIRE_TEST_CRASH=1")
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 69 || errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			t.Skipf("needs a server of its own: %s", out)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "crashes") {
				t.Log(strings.TrimSpace(line))
			}
		}
		return
	}
	crashes, turns := 0, 150
	if testing.Short() {
		turns = 30
	}
	const schema = "crash"
	openTenant(t, server(t), schema, "")
	until(func() { record(t, schema, turns) }, func() {
		if crash(t) {
			crashes++
		}
	})
	if crashes == 0 {
		t.Error("the server never crashed")
	}
	t.Logf("%d crashes", crashes)
}

// crash kills one of the server's processes, and reports whether it could.
func crash(t *testing.T) bool {
	c, err := pgx.Connect(context.Background(), server(t))
	if err != nil {
		return false // it has not recovered yet
	}
	defer c.Close(context.Background())
	if _, err := c.Exec(context.Background(), `SELECT pg_sleep(0.05)`); err != nil {
		return false
	}
	process, err := os.FindProcess(int(c.PgConn().PID()))
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Errorf("the server's process: %v", err)
	}
	return err == nil
}
