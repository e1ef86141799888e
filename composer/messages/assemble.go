package messages

import (
	"github.com/quirehq/quire/composer"
)

// An Assembly is the input of one model call.
type Assembly struct {
	Messages []Message // what the model is given, in order; shortened, and with ids for all calls, where that was due
	Places   []Place   // of the messages: where each comes from

	// Composition holds every candidate as a section: what was decided about it, the fingerprint, the prefixes. Its text
	// is the tool definitions and the messages in canonical JSON, with nothing between them. Where a skill's body took
	// the place of its line, the text has the line before it, as the budget has.
	Composition composer.Composition

	Report Report
	Tail   []string // the order of the tail for the next turn: what was known, then what is new and was not evicted

	items   []item
	rules   rules
	measure string // the estimator's name
}

// A Place says where a message of an assembly comes from.
type Place struct {
	Section    string // the id of its section in the composition
	Group      Group
	Index      int  // in its group, as it was passed
	Breakpoint bool // a cacheable prefix ends after it
}

// Assemble builds the messages of the input and assembles them; see [Build] and [Prompt.Assemble].
func Assemble(in Input, o Options) (Assembly, error) {
	p, err := Build(in)
	if err != nil {
		return Assembly{}, err
	}
	return p.Assemble(o)
}

// Assemble decides which messages go into the call.
//
//  1. Blocks of a modality that the model does not read are refused.
//  2. Calls without an id get one, and units are found; old results are shortened, where that is asked for.
//  3. Each message becomes a section: its canonical JSON, charged by its [Message.Text]. Instructions, the current
//     input and the tools are core. All else is evicted group after group: tool results, history, summaries, context,
//     skill bodies, skill lines, attachments, tail (legacy: attachments before context). History goes oldest first,
//     context lowest priority first, everything else last first.
//  4. The composer's gate "reserved" admits, under both maxima, what evicting in this order until the rest fits would
//     leave.
//
// When core alone exceeds the budget the error is a [BudgetError], and nothing is returned. Other errors name the group
// and the message. Assemble is linear in the input, but for sorting context by priority, and the same on every machine.
func (p Prompt) Assemble(o Options) (Assembly, error) {
	if err := o.check(); err != nil {
		return Assembly{}, edge(err)
	}
	if err := p.checkModalities(); err != nil {
		return Assembly{}, err
	}
	r, estimator := o.rules(p.Tail)
	items, err := p.gather(o, r, estimator)
	if err != nil {
		return Assembly{}, err
	}
	l, err := lower(items, r, estimator)
	if err != nil {
		return Assembly{}, err
	}
	a, err := l.assemble(r)
	if err != nil {
		return Assembly{}, err
	}
	a.measure = estimator.Name()
	_, a.Report.UnlistedSkills = p.catalog(o.EagerSkills)
	if o.Budget == nil || !o.Budget.ReportOmissions {
		a.Report.Omitted = nil
	}
	return a, nil
}

// assemble composes the sections and reads off what was decided.
func (l *lowering) assemble(r rules) (Assembly, error) {
	c, err := composer.Compose(l.sections, l.config)
	if err != nil {
		return Assembly{}, edge(err)
	}
	if over, overBytes := c.Overflow(), c.OverflowBytes(); over > 0 || overBytes > 0 {
		return Assembly{}, &BudgetError{over, overBytes}
	}
	in, kept := l.included(c)
	a := Assembly{Composition: c, Tail: l.keptTail(in, len(r.tailOrder)), items: l.items, rules: r}
	a.Report = l.report(in, r)
	a.Messages, a.Places = make([]Message, 0, kept), make([]Place, 0, kept)
	for at, i := range l.order {
		t := &l.items[i]
		if in[at] && t.message != nil {
			if t.inPlace() {
				a.pop()
			}
			a.Messages = append(a.Messages, *t.message)
			a.Places = append(a.Places, Place{l.sections[at].ID, t.group, t.index, false})
		}
		if n := len(a.Places); n > 0 && l.sections[at].Breakpoint {
			a.Places[n-1].Breakpoint = true // of a section that is not in, it moves to what is in before it
		}
	}
	return a, nil
}

// pop takes back the line that the body of a skill takes the place of: it is in when its body is, and stands before it.
func (a *Assembly) pop() {
	a.Messages = a.Messages[:len(a.Messages)-1]
	a.Places = a.Places[:len(a.Places)-1]
}

// included says of every section whether it is in, and how many are.
func (l *lowering) included(c composer.Composition) (in []bool, kept int) {
	in = make([]bool, 0, len(l.sections))
	for v := range c.Verdicts() {
		if in = append(in, v.Included()); v.Included() {
			kept++
		}
	}
	return in, kept
}

// keptTail returns the order of the tail without what was evicted before it was ever there.
func (l *lowering) keptTail(in []bool, known int) []string {
	evicted := map[string]bool{}
	for at, i := range l.order {
		if !in[at] {
			evicted[l.items[i].segment] = true
		}
	}
	kept := l.tail[:known:known]
	for _, id := range l.tail[known:] {
		if !evicted[id] {
			kept = append(kept, id)
		}
	}
	return kept
}
