package sessions

import (
	"slices"

	"github.com/quirehq/quire/composer/internal/wire"
)

// compact takes the lines again that a compaction kept. They stay where they are in the file, with the parents they had;
// for what comes after the compaction they stand after its anchor, which is the summary or the compaction's own line, and
// what else names the anchor for its parent stands after them.
func (log *claudeLog) compact(compaction wire.Member) error {
	anchor := wire.TextAt(compaction, "preservedMessages", "anchorUuid")
	kept := log.listed(compaction)
	if len(kept) == 0 {
		anchor = wire.TextAt(compaction, "preservedSegment", "anchorUuid")
		kept = log.between(wire.TextAt(compaction, "preservedSegment", "headUuid"), wire.TextAt(compaction, "preservedSegment", "tailUuid"))
	}
	if anchor == "" || len(kept) == 0 {
		return nil
	}
	if log.forked += len(kept); log.forked > MaxForked {
		return &Error{File: log.r.name, Line: log.r.first, Err: ErrForked}
	}
	parent, parentID := -1, anchor
	if i, ok := log.byUUID[anchor]; ok {
		parent = i
	}
	for _, i := range kept {
		l := log.lines[i]
		l.parent, l.parentID, l.again = parent, parentID, true
		parent, parentID = len(log.lines), l.uuid
		log.byUUID[l.uuid] = parent
		log.lines = append(log.lines, l)
	}
	log.kept[anchor] = parent
	return nil
}

// listed returns the lines that a compaction lists as kept, those that are in the file, in the order of the list.
func (log *claudeLog) listed(compaction wire.Member) []int {
	var kept []int
	seen := map[int]bool{}
	list, _ := wire.Path(compaction, "preservedMessages", "uuids")
	_ = list.Each("a list of ids", func(_ int, v wire.Member) error {
		if i, ok := log.byUUID[wire.TextAt(v)]; ok && !seen[i] {
			kept = append(kept, i)
			seen[i] = true
		}
		return nil
	})
	return kept
}

// between returns the lines from one back to another, in order; none where that is not among its ancestors.
func (log *claudeLog) between(head, tail string) []int {
	var kept []int
	at, ok := log.byUUID[tail]
	for ok && len(kept) < len(log.lines) {
		kept = append(kept, at)
		l := &log.lines[at]
		if l.uuid == head {
			slices.Reverse(kept)
			return kept
		}
		if at = l.parent; at < 0 {
			at, ok = log.byUUID[l.parentID]
		}
	}
	return nil
}
