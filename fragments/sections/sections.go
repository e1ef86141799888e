// Package sections makes texts of an agent's state.
//
// Each function takes plain values and returns the text of one section: no clock, no environment, no order but the
// caller's. What is empty makes an empty text, and an empty section disappears. Values that belong on one line are put
// on one, line breaks becoming spaces; nothing else of them changes.
//
// A section's text is searched for references to variables, and state comes from anywhere: a note that holds "{{x}}"
// would fail the prompt. So state belongs in a variable, whose value is never searched, and the section refers to it.
// [Dynamic] contributes the two together.
package sections

import (
	"fmt"
	"strings"

	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/guidance"
)

// Dynamic contributes a section whose text is made at every assembly: a variable of that name with the text as its
// value, and the section, which says {{variable}}. The section's own Text, Alternates and TextFunc are replaced.
func Dynamic(s fragments.Section, variable string, build func(fragments.AssembleContext) (string, error)) []fragments.Contribution {
	s.Text, s.TextFunc, s.Alternates = "{{"+variable+"}}", nil, nil
	return []fragments.Contribution{
		fragments.AddVariable(variable, func(ctx fragments.AssembleContext) (string, bool, error) {
			text, err := build(ctx)
			return text, true, err
		}),
		fragments.AddSection(s),
	}
}

// Identity says who the agent is: "You are Ada, a code reviewer at Acme." Role and organisation may be empty; without a
// name there is nothing to say.
func Identity(name, role, organisation string) string {
	if name == "" {
		return ""
	}
	text := "You are " + guidance.OneLine(name)
	if role != "" {
		text += ", " + guidance.OneLine(role)
	}
	if organisation != "" {
		text += " at " + guidance.OneLine(organisation)
	}
	return text + "."
}

// A Fact is a named value.
type Fact struct{ Name, Value string }

// Environment lists facts about where the agent runs, in the given order.
func Environment(facts []Fact) string {
	lines := make([]string, len(facts))
	for i, f := range facts {
		lines[i] = f.Name + ": " + f.Value
	}
	return list("Environment:", lines)
}

// Date says what day it is. The day is a value: whoever passes it decides how long a prompt stays the same.
func Date(year, month, day int) string {
	return fmt.Sprintf("Today's date is %04d-%02d-%02d.", year, month, day)
}

// Tools lists the tools with the first line of their descriptions, for models that get no schemas.
func Tools(tools []fragments.Tool) string {
	lines := make([]string, len(tools))
	for i, t := range tools {
		lines[i] = t.Name
		if first, _, _ := strings.Cut(t.Description, "\n"); first != "" {
			lines[i] += ": " + first
		}
	}
	return list("Available tools:", lines)
}

// RoleTools says which tools a role may call.
func RoleTools(role string, tools []string) string {
	if len(tools) == 0 {
		return "As " + guidance.OneLine(role) + " you may call no tools."
	}
	return list("As "+guidance.OneLine(role)+" you may call these tools and no others:", tools)
}

// ToolGuidance is what package guidance resolved for one tool.
func ToolGuidance(r guidance.Resolved) string { return r.Text }

// RecentToolErrors lists failed calls of all tools, the newest first; errors are given in the order in which they
// happened. Of more than limit only the newest are listed; 0 stands for guidance.DefaultRecentToolErrorsLimit.
func RecentToolErrors(failed []guidance.ToolError, limit int) string {
	if limit == 0 {
		limit = guidance.DefaultRecentToolErrorsLimit
	}
	var lines []string
	for i := len(failed) - 1; i >= 0 && len(lines) < limit; i-- {
		lines = append(lines, failed[i].ToolName+": "+failed[i].Text)
	}
	return list("Recent tool errors, newest first:", lines)
}

// A JobState is where a background job stands.
type JobState uint8

// The states.
const (
	Queued    JobState = 0
	Running   JobState = 1
	Succeeded JobState = 2
	Failed    JobState = 3
	Cancelled JobState = 4
)

// String returns the state's name as prompts spell it.
func (s JobState) String() string {
	if s <= Cancelled {
		return [...]string{"queued", "running", "succeeded", "failed", "cancelled"}[s]
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// Ended reports whether nothing more happens in this state.
func (s JobState) Ended() bool { return s >= Succeeded }

// A Job is a background job.
type Job struct {
	ID    string
	Title string
	State JobState
}

// AsyncJobs lists the jobs that have not ended, in the given order.
func AsyncJobs(jobs []Job) string {
	return list("Background jobs that have not ended; do not start them again:", jobLines(jobs, false))
}

// JobHistory lists the jobs that have ended, in the given order.
func JobHistory(jobs []Job) string {
	return list("Background jobs that have ended:", jobLines(jobs, true))
}

func jobLines(jobs []Job, ended bool) (lines []string) {
	for _, j := range jobs {
		if j.State.Ended() == ended {
			lines = append(lines, fmt.Sprintf("%s (%v): %s", j.ID, j.State, j.Title))
		}
	}
	return lines
}

// A Task is an item of the agent's plan.
type Task struct {
	Title string
	Done  bool
}

// Plan lists the tasks in the given order.
func Plan(tasks []Task) string {
	lines := make([]string, len(tasks))
	for i, t := range tasks {
		box := "[ ] "
		if t.Done {
			box = "[x] "
		}
		lines[i] = box + t.Title
	}
	return list("Plan:", lines)
}

// Memory is what is known from before: facts, one a line, then notes as they are. An empty side is left out.
func Memory(facts []string, notes string) string {
	known := list("What you know from before:", facts)
	switch {
	case notes == "":
		return known
	case known == "":
		return "Notes:\n" + notes
	}
	return known + "\n\nNotes:\n" + notes
}

// A Skill is something that the agent can read up on.
type Skill struct{ Name, Description string }

// Skills lists the skills by name and description.
func Skills(skills []Skill) string {
	lines := make([]string, len(skills))
	for i, s := range skills {
		lines[i] = s.Name + ": " + s.Description
	}
	return list("Skills:", lines)
}

// OutputFormat asks for answers in a format, and shows its schema or an example where there is one.
func OutputFormat(format, schema string) string {
	if format == "" {
		return ""
	}
	text := "Answer in " + guidance.OneLine(format) + " and nothing else."
	if schema != "" {
		text += " It has to fit this:\n" + schema
	}
	return text
}

// Locale says in which language and conventions to answer.
func Locale(language, timeZone string) string {
	var lines []string
	if language != "" {
		lines = append(lines, "Language: "+language)
	}
	if timeZone != "" {
		lines = append(lines, "Time zone: "+timeZone)
	}
	return list("Answer for this reader:", lines)
}

// EarlierOmitted is the notice that messages are missing. It is constant: a count in it would change the prompt, and
// with it all that follows, every time another message is dropped.
func EarlierOmitted() string { return "Earlier messages of this conversation are left out." }

// list puts every item on a line under a heading; of no items it makes nothing.
func list(heading string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(heading)
	for _, item := range items {
		b.WriteString("\n- ")
		b.WriteString(guidance.OneLine(item))
	}
	return b.String()
}
