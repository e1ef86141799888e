package main

import (
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/replay"
)

// A keeper stores turns of one session, each after the last. It opens the store for the first one, so that bad input
// makes no store. A nil keeper, which is one without --record, keeps nothing.
type keeper struct {
	flags    *turnFlags
	session  replay.Session
	turn     replay.Turn // the next
	store    replay.Store
	recorder *replay.Recorder
}

func (k *keeper) composition(c composer.Composition) (replay.Record, error) {
	return k.compilation(composer.Compilation{Composition: c})
}

func (k *keeper) compilation(c composer.Compilation) (replay.Record, error) {
	if k == nil {
		return replay.Record{}, nil
	}
	return k.keep(c, k.turn)
}

// call stores a call that was made, or what was assembled of it, with the time and the usage that are recorded and with
// its thread and model as labels, where the flags say nothing else.
func (k *keeper) call(call sessions.Call, a messages.Assembly) (replay.Record, error) {
	if k == nil {
		return replay.Record{}, nil
	}
	turn := k.turn
	if k.flags.time == "" && !call.Time.IsZero() {
		turn.Time = call.Time
	}
	if u := call.Usage; u.Recorded {
		turn.Usage = &replay.Usage{Input: u.Input, Cached: u.Cached, Written: u.Written, Output: u.Output}
	}
	turn.Labels = map[string]string{}
	for name, value := range map[string]string{"thread": call.Thread, "model": call.Model} { // from a map into a map
		if _, given := k.session.Labels[name]; value != "" && !given {
			turn.Labels[name] = value
		}
	}
	return k.keep(a.Compilation(), turn)
}

func (k *keeper) keep(c composer.Compilation, turn replay.Turn) (rec replay.Record, err error) {
	ctx := k.flags.cmd.Context()
	if k.store == nil {
		if k.store, err = k.flags.store.open(ctx, true); err != nil {
			return rec, err
		}
		k.recorder = replay.NewRecorder(k.store, k.session)
	}
	rec, err = k.recorder.RecordCompilation(ctx, c, turn)
	if k.turn.Number > 0 {
		k.turn.Number++
	}
	return rec, recordError(err)
}

// close closes the store, and tells so unless something went wrong before.
func (k *keeper) close(err *error) {
	if k == nil || k.store == nil {
		return
	}
	if closing := k.store.Close(); closing != nil && *err == nil {
		*err = storeError(closing)
	}
}

// turnFlags are the flags that say which turn is recorded, and where.
type turnFlags struct {
	cmd                     *cobra.Command
	store                   *storeFlags
	record                  *bool // --record; nil where nothing else is done
	session, time, response string
	turn                    int64
	labels                  []string
}

// addRecordFlags adds --record, and what goes with it, to a command that prints what it composes.
func addRecordFlags(cmd *cobra.Command) *turnFlags {
	record := cmd.Flags().Bool("record", false, "store what is composed as a turn of the session")
	f := addTurnFlags(cmd)
	f.record = record
	return f
}

func addTurnFlags(cmd *cobra.Command) *turnFlags {
	f := &turnFlags{cmd: cmd, store: addStoreFlags(cmd)}
	cmd.Flags().StringVar(&f.session, "session", "", "the session that is recorded")
	cmd.Flags().Int64Var(&f.turn, "turn", 0, "the number of the turn, from 1; default: the next")
	cmd.Flags().StringVar(&f.time, "time", "", "when it was, such as 2026-01-31T12:00:00Z; default: now")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "a label to find it by, NAME=VALUE; may be repeated")
	cmd.Flags().StringVar(&f.response, "response", "", "a file with the provider's answer, stored along")
	return f
}

func (f *turnFlags) of() (session replay.Session, turn replay.Turn, err error) {
	if f.session == "" {
		return session, turn, errors.New("no --session; want the name of the session that is recorded")
	}
	if f.turn < 0 {
		return session, turn, fmt.Errorf("--turn %d; want 1 or more", f.turn)
	}
	turn = replay.Turn{Number: f.turn, Time: time.Now().UTC()}
	if f.time != "" {
		if turn.Time, err = parseTime("--time", f.time); err != nil {
			return session, turn, err
		}
	}
	if f.response != "" {
		if turn.Response, err = readFile(f.response); err != nil {
			return session, turn, err
		}
	}
	labels, err := parseLabels(f.labels)
	if err == nil && !utf8.ValidString(f.session) {
		err = fmt.Errorf("--session %q; want a name in UTF-8", f.session)
	}
	if year := turn.Time.UTC().Year(); err == nil && (year < 1 || year > 9999) {
		err = fmt.Errorf("--time %q; want a year from 1 to 9999", f.time)
	}
	return replay.Session{ID: f.session, Labels: labels}, turn, err
}

// keeper returns what stores the turns that the flags name, or nil when --record was not given. What is wrong with the
// flags is told before anything is read or printed.
func (f *turnFlags) keeper() (*keeper, error) {
	if f.record != nil && !*f.record {
		names := []string{"session", "turn", "time", "label", "response", "store"}
		if f.cmd.Name() != "render" { // where it says more
			names = append(names, "tenant")
		}
		return nil, goesWith(f.cmd, "--record", names...)
	}
	session, turn, err := f.of()
	if err != nil {
		return nil, err
	}
	return &keeper{flags: f, session: session, turn: turn}, nil
}

// recordError gives nondeterminism, which is a finding and not a failure, its exit status.
func recordError(err error) error {
	var finding *replay.NondeterminismError
	if errors.As(err, &finding) {
		return &statusError{exitFailed, err}
	}
	return storeError(err)
}
