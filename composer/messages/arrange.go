package messages

import (
	"errors"
	"fmt"
	"slices"
)

// arrange finds the order of emission and the breakpoints.
func (l *lowering) arrange(r rules) error {
	in := l.places()
	var flat []int // the messages of all groups
	for _, group := range r.layout.groups() {
		flat = append(flat, in[group]...)
	}
	flat = slices.DeleteFunc(flat, func(i int) bool { return l.items[i].segment != "" })
	var catalog []int
	catalog = append(catalog, in[GroupContext]...)
	catalog = append(catalog, l.skillsInPlace(in)...)
	catalog = append(catalog, in[GroupTools]...)

	l.order = append(make([]int, 0, len(l.items)), in[GroupToolDefinitions]...)
	if r.layout == CacheAware {
		lead := len(in[GroupInstructions]) // whatever their roles; then what else leads
		for lead < len(flat) && l.items[flat[lead]].leads() {
			lead++
		}
		l.order = append(l.order, flat[:lead]...)
		flat = flat[lead:]
		l.markLast(catalog)
	}
	l.order = append(l.order, catalog...)
	history := slices.IndexFunc(flat, func(i int) bool { return l.items[i].group == GroupHistory })
	if history < 0 {
		history = 0
	}
	l.order = append(l.order, flat[:history]...)
	l.order = append(l.order, in[GroupNotice]...)
	l.order = append(l.order, flat[history:]...)
	l.markLast(in[GroupInstructions])
	l.markLast(in[GroupCurrent])

	tail, err := l.arrangeTail(in, r.tailOrder)
	l.order = append(l.order, tail...)
	return err
}

// places returns the places of the items of each group, in the group's order.
func (l *lowering) places() (in [groupCount][]int) {
	var count [groupCount]int
	for i := range l.items {
		count[l.items[i].group]++
	}
	for group, n := range count {
		in[group] = make([]int, 0, n)
	}
	for i := range l.items {
		group := l.items[i].group
		in[group] = append(in[group], i)
	}
	return in
}

func (l *lowering) markLast(places []int) {
	if len(places) > 0 {
		l.ends[places[len(places)-1]] = true
	}
}

// skillsInPlace returns the lines of the catalog, each with its body after it unless that is in the tail.
func (l *lowering) skillsInPlace(in [groupCount][]int) []int {
	body := map[int]int{} // by line
	for _, i := range in[GroupSkillBodies] {
		if l.items[i].inPlace() {
			body[l.items[i].line] = i
		}
	}
	var out []int
	for _, line := range in[GroupSkills] {
		out = append(out, line)
		if i, ok := body[line]; ok {
			out = append(out, i)
		}
	}
	return out
}

// arrangeTail returns what stands in the tail: known ids in their place, new ones after them as they come.
func (l *lowering) arrangeTail(in [groupCount][]int, known []string) ([]int, error) {
	at := map[string]int{}
	l.tail = slices.Clone(known)
	for place, id := range l.tail {
		at[id] = place
	}
	items := make([]int, len(l.tail), len(l.tail)+len(in[GroupTail]))
	for place := range items {
		items[place] = -1
	}
	for _, group := range []Group{GroupAttachments, GroupSkillBodies, GroupTail} {
		for _, i := range in[group] {
			t := &l.items[i]
			if t.segment == "" {
				if group == GroupTail {
					return nil, &MessageError{group, t.index, errors.New("a segment without an id")}
				}
				continue
			}
			place, seen := at[t.segment]
			if !seen {
				place = len(l.tail)
				at[t.segment] = place
				l.tail = append(l.tail, t.segment)
				items = append(items, -1)
			}
			if items[place] >= 0 {
				return nil, &MessageError{group, t.index, fmt.Errorf("%w: %q", ErrDuplicateSegment, t.segment)}
			}
			items[place] = i
		}
	}
	return slices.DeleteFunc(items, func(i int) bool { return i < 0 }), nil
}
