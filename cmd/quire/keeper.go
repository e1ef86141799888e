package main

import (
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
