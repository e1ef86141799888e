package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/cachelab"
	"github.com/quirehq/quire/composer/measure/bpe"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/replay"
)

// seriesFlags are the flags of the commands that look at requests as a provider's cache does.
type seriesFlags struct {
	from     *fromFlags
	store    *storeFlags
	prompt   *promptFlags
	profiles []string
	tokens   string
	gap      int64
}

func addSeriesFlags(cmd *cobra.Command) *seriesFlags {
	f := &seriesFlags{from: addFromFlags(cmd, "what the file is: auto (the default), openai, anthropic, claude-code, codex, …"),
		store: addStoreFlags(cmd), prompt: addPromptFlags(cmd)}
	cmd.Flags().StringArrayVar(&f.profiles, "profile", nil,
		"the service and model: a built-in name, such as anthropic-opus-5, or a JSON file; may be repeated; default: by the model's name")
	choiceVar(cmd, &f.tokens, "tokens", "", "chars/4", "what estimates tokens", tokenMeasures...)
	return f
}

// A series is a file or a recorded session as requests.
type series struct {
	name  string
	calls []sessions.Call // nil: compositions, which are not assembled anew
	turns []cachelab.Turn
	wire  bool // bodies as they were sent, markers included
}

// tokenMeasures are the measures that count tokens, or estimate them.
var tokenMeasures = []string{"chars/4", "o200k_base", "cl100k_base"}

func (f *seriesFlags) reader() *cachelab.Reader {
	m, _ := bpe.ByName(f.tokens) // a choice
	return &cachelab.Reader{Measure: m}
}

// read reads a prompt file, a text, a file of requests or a session log, or, where there is no such file, a session of the
// store or one turn of it. Without --from, what is no log is what its name says: a text, or a prompt in JSON.
func (f *seriesFlags) read(s *streams, cmd *cobra.Command, r *cachelab.Reader, what string) (series, error) {
	if _, err := os.Stat(what); err != nil && what != "-" {
		if what == "" {
			return series{}, errors.New(`"": no name; want FILE or SESSION`)
		}
		return f.recorded(cmd, r, what)
	}
	if f.from.from != "" {
		return f.called(s, r, *f.from, what)
	}
	ext := strings.ToLower(filepath.Ext(what))
	if slices.Contains([]string{".yaml", ".yml"}, ext) {
		return f.composed(s, r, what)
	}
	var stdin []byte
	if what == "-" {
		in, err := s.open(what, maxLog)
		if err != nil {
			return series{}, err
		}
		if stdin, err = in.readAll(); err != nil {
			return series{}, err
		}
		s = s.reading(stdin)
	}
	guess := *f.from
	guess.from = string(sessions.Auto)
	log, noLog := f.called(s, r, guess, what)
	switch {
	case noLog == nil:
		return log, nil
	case slices.Contains([]string{".md", ".txt", ".snap", ".prompt"}, ext):
		return text(s, r, what)
	case what == "-":
		c, err := f.composed(s.reading(stdin), r, what)
		if err != nil && looksLikeJSON(stdin) {
			err = noLog
		}
		return c, err
	case ext == ".json":
		if c, err := f.composed(s, r, what); err == nil {
			return c, nil
		}
	}
	return series{}, noLog
}

// called reads the calls of a file of requests or of a session log.
func (f *seriesFlags) called(s *streams, r *cachelab.Reader, from fromFlags, what string) (series, error) {
	out := series{name: what}
	session, err := from.read(s, what)
	if err != nil {
		return out, err
	}
	out.wire = session.Format == sessions.Requests || session.Format == sessions.OpenHandsLLM
	out.calls = session.Calls
	if len(out.calls) == 0 && (len(session.Tools) > 0 || session.Instructions != "") {
		call := sessions.Call{Tools: session.Tools}
		if session.Instructions != "" {
			call.System = messages.TextMessage(messages.System, session.Instructions)
		}
		out.calls = []sessions.Call{call}
	}
	out.turns, err = r.Turns(out.calls, f.gap)
	return out, err
}

// looksLikeJSON reports whether a text is meant to be an object or a list.
func looksLikeJSON(src []byte) bool {
	src = bytes.TrimLeft(src, " \t\r\n")
	return len(src) > 0 && (src[0] == '{' || src[0] == '[')
}

func (f *seriesFlags) composed(s *streams, r *cachelab.Reader, what string) (series, error) {
	out := series{name: what}
	list, err := f.prompt.prompts(s, what, false)
	if err != nil {
		return out, err
	}
	for _, p := range list {
		out.turns = append(out.turns, f.turn(r, p.Composition, len(out.turns)))
	}
	return out, nil
}

func (f *seriesFlags) turn(r *cachelab.Reader, c composer.Composition, i int) cachelab.Turn {
	return cachelab.Turn{Request: r.Composition(c), At: int64(i) * f.gap}
}

// text reads a file of any text as one section.
func text(s *streams, r *cachelab.Reader, what string) (series, error) {
	src, name, err := readInput(s, what)
	if err != nil {
		return series{}, err
	}
	c, err := composer.Compose([]composer.Section{{ID: filepath.Base(what), Content: string(src)}}, composer.Config{})
	if err != nil {
		return series{}, at(name, err)
	}
	return series{name: what, turns: []cachelab.Turn{{Request: r.Composition(c)}}}, nil
}

// recorded reads a session of the store, or one turn of it.
func (f *seriesFlags) recorded(cmd *cobra.Command, r *cachelab.Reader, what string) (series, error) {
	out := series{name: what}
	err := f.store.withStore(cmd, false, func(ctx context.Context, store replay.Store) error {
		reader := replay.NewReader(store)
		add := func(rec replay.Record) error {
			c, err := reader.Composition(ctx, rec)
			if err != nil {
				return err
			}
			t := f.turn(r, c, len(out.turns))
			t.Request.Model, t.Request.Thread = rec.Labels["model"], rec.Labels["thread"]
			if !rec.Time.IsZero() {
				t.At = rec.Time.Unix()
			}
			if u := rec.Usage; u != nil {
				t.Recorded = sessions.Usage{Recorded: true, Input: u.Input, Cached: u.Cached, Written: u.Written, Output: u.Output}
			}
			out.turns = append(out.turns, t)
			return nil
		}
		if rec, err := recordOf(ctx, store, reader, what); err == nil {
			return storeError(add(rec))
		} else if !errors.Is(err, errNoRecord) {
			return storeError(err)
		}
		for rec, err := range reader.Records(ctx, replay.Query{Session: what}) {
			if errors.Is(err, replay.ErrNotFound) && len(out.turns) == 0 {
				break
			}
			if err == nil {
				err = add(rec)
			}
			if err != nil {
				return storeError(err)
			}
		}
		if len(out.turns) == 0 {
			return fmt.Errorf("%s: no such file, session, turn or fingerprint", plain(what))
		}
		return nil
	})
	return out, unknown(what, err)
}

// chosen returns the profiles that the flags name, or that of the first model of which there is one.
func (f *seriesFlags) chosen(all ...series) ([]cachelab.Profile, error) {
	var list []cachelab.Profile
	for _, name := range f.profiles {
		p, ok := cachelab.ProfileByName(name)
		if !ok {
			src, err := readFile(name)
			if err != nil {
				return nil, fmt.Errorf("--profile %s: neither a built-in profile nor a file; want one of %s", name, strings.Join(profileNames(), ", "))
			}
			if p, err = cachelab.ParseProfile(src); err != nil {
				return nil, fmt.Errorf("--profile %s: %s", name, strings.TrimPrefix(bare(err), "profile: "))
			}
		}
		list = append(list, p)
	}
	if len(list) > 0 {
		return list, nil
	}
	for _, s := range all {
		for _, t := range s.turns {
			if p, ok := cachelab.ProfileOf(t.Request.Model); ok {
				return []cachelab.Profile{p}, nil
			}
		}
	}
	return nil, nil
}

func profileNames() (names []string) {
	for _, p := range cachelab.Profiles() {
		names = append(names, p.Name)
	}
	return names
}
