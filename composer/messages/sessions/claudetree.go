package sessions

import (
	"slices"
	"strconv"

	"github.com/quirehq/quire/composer/messages"
)

// A response is one answer of the model. Its lines are in the order of the file, whichever branch of the tree they are
// on: parallel calls hang their results on a line each, and the log goes on after one of them.
type response struct {
	lines []int
}

type responseKey struct {
	root int
	id   string
}

// MaxForked is how many messages a log may make its branches and compactions repeat: each branch holds its own list of what
// stands before it.
const MaxForked = 1_000_000

// calls makes a call of each response: what stands on the way to it in the tree.
func (log *claudeLog) calls() error {
	log.link()
	responses := map[responseKey]*response{}
	results := map[responseKey][]int{} // by the call's id
	for i := range log.lines {
		l := &log.lines[i]
		if l.answers {
			key := responseKey{l.root, l.response}
			if responses[key] == nil {
				responses[key] = &response{}
			}
			responses[key].lines = append(responses[key].lines, i)
		}
		if l.message != nil && !l.answers {
			for k := range l.message.Content {
				if b := &l.message.Content[k]; b.Kind == messages.KindToolResult {
					key := responseKey{l.root, b.ID}
					results[key] = append(results[key], i)
				}
			}
		}
	}
	paths := map[int]*claudePath{}
	for i := range log.lines {
		l := &log.lines[i]
		if !l.answers || l.again {
			continue
		}
		answer := responses[responseKey{l.root, l.response}]
		if answer.lines[0] != i {
			continue
		}
		path := paths[l.root]
		if path == nil {
			path = &claudePath{log: log, responses: responses, results: results, at: map[int]int{}}
			paths[l.root] = path
		}
		if !path.goTo(log.beginning(i), i) {
			return &Error{File: log.r.name, Line: l.line, Err: ErrForked}
		}
		log.call(answer, path.list)
	}
	return nil
}

// link finds the parents and the roots.
func (log *claudeLog) link() {
	for i := range log.lines {
		l := &log.lines[i]
		l.root = -1
		if l.parent >= 0 {
			continue
		}
		if log.flat && i > 0 {
			l.parent = i - 1
		} else if parent, ok := log.byUUID[l.parentID]; ok && l.parentID != "" && parent != i {
			l.parent = parent // it stands later in the file
		} else {
			l.orphan = l.parentID != ""
			if !l.orphan && i > 0 && l.continues() {
				l.parent = i - 1
			}
		}
	}
	const walking = -2
	for i := range log.lines {
		var way []int
		at := i
		for log.lines[at].root == -1 {
			log.lines[at].root = walking
			way = append(way, at)
			if log.lines[at].parent < 0 {
				break
			}
			at = log.lines[at].parent
		}
		if log.lines[at].root == walking && len(way) > 0 && at != way[len(way)-1] {
			// A circle: it is opened where it was found.
			log.lines[way[len(way)-1]].parent = -1
			at = way[len(way)-1]
		}
		root := log.lines[at].root
		if root == walking {
			root = at
		}
		for _, k := range way {
			log.lines[k].root = root
		}
	}
}

// continues reports whether the line cannot begin a conversation: an answer, or a result of a call.
func (l *claudeLine) continues() bool {
	if l.message == nil || l.answers {
		return l.answers
	}
	for i := range l.message.Content {
		if l.message.Content[i].Kind == messages.KindToolResult {
			return true
		}
	}
	return false
}

// beginning returns the first line in the tree of the response that the line belongs to.
func (log *claudeLog) beginning(i int) int {
	first := i
	for at := log.lines[i].parent; at >= 0; at = log.lines[at].parent {
		switch l := &log.lines[at]; {
		case l.message == nil:
		case l.answers && l.response == log.lines[i].response:
			first = at
		default:
			return first
		}
	}
	return first
}

func (log *claudeLog) call(answer *response, list []messages.Message) {
	first := &log.lines[answer.lines[0]]
	call := Call{
		Line: first.line, API: Anthropic, Messages: list[:len(list):len(list)],
		Model: first.model, Time: first.time,
	}
	for _, i := range answer.lines {
		if u := log.lines[i].usage; u.Recorded {
			call.Usage = u // the last line has the final count
		}
	}
	if root := &log.lines[first.root]; root.sidechain {
		call.Thread = root.agent
		if call.Thread == "" {
			call.Thread = "line " + strconv.Itoa(root.line)
		}
	}
	log.r.add(call)
}

// A claudePath is the way from a root to where the last call was made, and the messages on it.
type claudePath struct {
	log       *claudeLog
	responses map[responseKey]*response
	results   map[responseKey][]int

	way    []int
	at     map[int]int // places in way
	list   []messages.Message
	placed map[int]bool // lines whose message is in list
}

// goTo moves to the parent of the line that begins an answer, which was given at line until of the file. It tells whether
// the log branches less than it may.
func (p *claudePath) goTo(answer, until int) bool {
	var ahead []int
	from := p.log.lines[answer].parent
	for from >= 0 {
		if _, ok := p.at[from]; ok {
			break
		}
		ahead = append(ahead, from)
		from = p.log.lines[from].parent
	}
	kept := 0
	if from >= 0 {
		kept = p.at[from] + 1
	}
	if kept < len(p.way) || p.placed == nil {
		// Another branch: calls that were made keep their messages.
		if p.log.forked += kept; p.log.forked > MaxForked {
			return false
		}
		shared := slices.Clone(p.way[:kept])
		p.way, p.list, p.placed = nil, nil, map[int]bool{}
		clear(p.at)
		for _, i := range shared {
			p.push(i, until)
		}
	}
	slices.Reverse(ahead)
	for _, i := range ahead {
		p.push(i, until)
	}
	return true
}

func (p *claudePath) push(i, until int) {
	p.at[i] = len(p.way)
	p.way = append(p.way, i)
	l := &p.log.lines[i]
	switch {
	case l.message == nil || p.placed[i]:
	case !l.answers:
		p.place(i)
	default:
		p.pushResponse(l, until)
	}
}

func (p *claudePath) place(i int) {
	p.placed[i] = true
	p.list = append(p.list, *p.log.lines[i].message)
	p.settle(i)
}

func (p *claudePath) settle(i int) {
	o := &p.log.r.out.Outcomes[p.log.lines[i].record]
	o.settle()
	if p.log.lines[i].orphan && o.Status == Used {
		o.Reason = "its parent is not in the file"
	}
}

// pushResponse adds all lines of a response as one message, and after it the results of its calls that were there
// before the next answer.
func (p *claudePath) pushResponse(l *claudeLine, until int) {
	all := p.responses[responseKey{l.root, l.response}].lines
	merged := messages.Message{Role: l.message.Role, Shape: l.message.Shape}
	for _, k := range all {
		if k >= until {
			break
		}
		merged.Content = append(merged.Content, p.log.lines[k].message.Content...)
		if len(all) > 1 {
			merged.Shape = messages.ShapeBlocks
		}
		p.placed[k] = true
		p.settle(k)
	}
	p.list = append(p.list, merged)
	var found []int
	for i := range merged.Content {
		if b := &merged.Content[i]; b.Kind == messages.KindToolCall {
			for _, k := range p.results[responseKey{l.root, b.ID}] {
				if k > all[0] && k < until && !p.placed[k] {
					found = append(found, k)
					p.placed[k] = true
				}
			}
		}
	}
	slices.Sort(found)
	for _, k := range found {
		p.place(k)
	}
}
