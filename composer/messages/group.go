package messages

import (
	"fmt"
	"slices"
)

// A Group says what a section of the prompt is.
type Group uint8

// The groups.
const (
	GroupInstructions    Group = 0
	GroupAttachments     Group = 1
	GroupSummaries       Group = 2
	GroupHistory         Group = 3
	GroupToolResults     Group = 4
	GroupCurrent         Group = 5
	GroupContext         Group = 6
	GroupSkills          Group = 7 // the lines of the catalog
	GroupSkillBodies     Group = 8
	GroupTools           Group = 9  // the text that lists the tools
	GroupToolDefinitions Group = 10 // not messages: what the provider is told apart from them
	GroupTail            Group = 11 // the caller's own segments
	GroupNotice          Group = 12
)

const groupCount = 13

var groupNames = [groupCount]string{
	"instructions", "attachments", "summaries", "history", "tool_results", "input",
	"context", "skills", "skill_body", "tools", "tool_definitions", "tail", "notice",
}

// String returns the group's name as reports, recipes and section ids spell it.
func (g Group) String() string {
	if int(g) >= groupCount {
		return fmt.Sprint(uint8(g))
	}
	return groupNames[g]
}

// MarshalText writes the group's name.
func (g Group) MarshalText() ([]byte, error) {
	if int(g) >= groupCount {
		return nil, fmt.Errorf("messages: unknown group %d", g)
	}
	return []byte(groupNames[g]), nil
}

// parseGroup reads a name that [Group.String] writes.
func parseGroup(name string) (Group, error) {
	if g := slices.Index(groupNames[:], name); g >= 0 {
		return Group(g), nil
	}
	return 0, fmt.Errorf("unknown group %q", name)
}

// evictions returns the groups in the order in which they are exhausted.
func (l Layout) evictions() []Group {
	if l == Legacy {
		return []Group{GroupToolResults, GroupHistory, GroupSummaries, GroupAttachments, GroupContext,
			GroupSkillBodies, GroupSkills, GroupTail}
	}
	return []Group{GroupToolResults, GroupHistory, GroupSummaries, GroupContext, GroupSkillBodies, GroupSkills,
		GroupAttachments, GroupTail}
}
