package cachelab

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/messages/sessions"
	"github.com/quirehq/quire/tiers"
)

// A WhatIf is a way in which the prompts of a session could have been assembled. The zero value assembles them anew, with
// the zero options.
type WhatIf struct {
	Name    string
	Options messages.Options
	As      bool // as recorded: the options are not used
}

// AsRecorded is the name of the way in which nothing is assembled anew.
const AsRecorded = "recorded"

// ParseWhatIf reads a way: "recorded", or settings joined by commas, each of
//
//	layout=cache_aware or legacy
//	policy=unit, item or quantised
//	quantum=N     in tokens
//	budget=N      the most input tokens; without it nothing is ever left out
//	fold=CAP/N    results older than the last N messages are cut to CAP bytes
//	notice=true   a constant text says that something was left out
//
// The text is the name of the column.
func ParseWhatIf(text string) (WhatIf, error) {
	w := WhatIf{Name: text}
	if text == AsRecorded {
		w.As = true
		return w, nil
	}
	o := &w.Options
	for _, setting := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(setting, "=")
		err := errors.New("want NAME=VALUE")
		if ok {
			switch name {
			case "layout":
				o.Layout, err = messages.ParseLayout(value)
			case "policy":
				o.Policy, err = messages.ParsePolicy(value)
			case "quantum":
				o.Quantum, err = positive(value)
			case "budget":
				var n int64
				n, err = positive(value)
				o.Budget = &messages.Budget{MaxInputTokens: tiers.Limit(n)}
			case "fold":
				o.Fold, err = parseFold(value)
			case "notice":
				o.Notice, err = strconv.ParseBool(value)
			default:
				err = errors.New("want recorded, or layout, policy, quantum, budget, fold or notice")
			}
		}
		if err != nil {
			return WhatIf{}, fmt.Errorf("cachelab: what if %q: %w", setting, err)
		}
	}
	return w, nil
}

func positive(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > messages.MaxTokens {
		return 0, fmt.Errorf("want an integer from 1 to %d", messages.MaxTokens)
	}
	return n, nil
}

func parseFold(text string) (*messages.Fold, error) {
	limit, recent, _ := strings.Cut(text, "/")
	c, errC := strconv.ParseInt(limit, 10, 32)
	n, errN := strconv.ParseInt(recent, 10, 32)
	if errC != nil || errN != nil || c < 0 || n < 0 {
		return nil, errors.New("want CAP/N: bytes, and how many messages are left whole")
	}
	return &messages.Fold{Cap: int(c), Recent: int(n)}, nil
}

// A Comparison sets ways against profiles, over the same calls.
type Comparison struct {
	Calls    int      `json:"calls"`
	LeftOut  int      `json:"left_out"` // calls of which one way could not make a prompt within its budget; no column has them
	Profiles []string `json:"profiles"`
	Columns  []Column `json:"columns"`
}

// A Column is one way.
type Column struct {
	Name   string    `json:"name"`
	Tokens int64     `json:"tokens"` // sent in all calls, estimated
	Cells  []Outcome `json:"cells"`  // one a profile
}

// Compare plays a session once a way and profile, with the markers that [Profile.Mark] sets, so that the ways differ in
// nothing else. Estimated tokens are those of the reader's measure, both for the budgets and for the costs.
func (r *Reader) Compare(calls []sessions.Call, gap int64, ways []WhatIf, profiles []Profile) (Comparison, error) {
	out := Comparison{Columns: make([]Column, len(ways))}
	caches := make([][]*cache, len(ways))
	for _, p := range profiles {
		out.Profiles = append(out.Profiles, p.Name)
	}
	for k, w := range ways {
		out.Columns[k] = Column{Name: w.Name, Cells: make([]Outcome, len(profiles))}
		for i := range profiles {
			caches[k] = append(caches[k], newCache(&profiles[i]))
		}
	}
	at := int64(0)
	for i, c := range calls {
		at = max(at, timeOf(c, at, gap))
		requests, err := r.ways(c, ways)
		if errors.Is(err, messages.ErrContextBudget) {
			out.LeftOut++
			continue
		} else if err != nil {
			return Comparison{}, fmt.Errorf("cachelab: call %d: %w", i+1, err)
		}
		out.Calls++
		for k, q := range requests {
			column := &out.Columns[k]
			column.Tokens += q.Tokens()
			for n := range profiles {
				marked := profiles[n].Mark(q)
				l := profiles[n].line(&marked)
				column.Cells[n].add(Outcome{Tokens: l.total, Prediction: caches[k][n].play(&l, at)})
			}
		}
	}
	return out, nil
}

// ways assembles a call in every way.
func (r *Reader) ways(c sessions.Call, ways []WhatIf) ([]Request, error) {
	var list []Request
	for _, w := range ways {
		q, err := r.assemble(c, w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		list = append(list, q)
	}
	return list, nil
}

// assemble makes the request of a call as a way has it.
func (r *Reader) assemble(c sessions.Call, w WhatIf) (Request, error) {
	if w.As {
		return r.Call(c)
	}
	o := w.Options
	if o.Budget != nil {
		budget, estimator := *o.Budget, r.measure()
		budget.Estimator = &estimator
		o.Budget = &budget
	}
	a, err := c.Prompt().Assemble(o)
	if err != nil {
		return Request{}, err
	}
	q, err := r.Messages(a, c.Tools, c.Model)
	q.Thread = c.Thread
	return q, err
}
