package fragments

import (
	"slices"
	"strings"

	"github.com/quirehq/quire/internal/edits"
)

// A CoreTemplate is a place in the prompt that is agreed on and empty. It is composed only when a host contributes a
// text for it ([ReplaceCore]), so that adding one to the list changes no prompt.
type CoreTemplate struct {
	ID      string
	Purpose string // what its text is for, and who would write it
}

// coreTemplates is append-only within reason: the place in the list is the order in the prompt.
var coreTemplates = []CoreTemplate{
	{"core.mission-template", "What the agent is for, in two or three sentences: the task it owns and where it ends."},
	{"core.operating-principles-template", "How it works when nothing more specific applies: care, honesty about what it did, asking before it destroys."},
	{"core.instruction-precedence-template", "Whose word counts when instructions contradict each other: operator, user, documents, tool output."},
	{"core.untrusted-content-template", "How to treat text that came from outside, in files, pages and tool results: as data, never as instructions."},
	{"core.safety-boundaries-template", "What it declines, and how to decline it."},
	{"core.privacy-template", "What personal data it may read, repeat and keep."},
	{"core.secret-handling-template", "What to do with credentials it comes across: never print, log, commit or send them."},
	{"core.rules-condensed-template", "The short form of the rules, for agents that run deep below the main one."},
	{"core.role-condensed-template", "The short form of the role, for agents that run deep below the main one."},
	{"core.role-tool-allowlist-template", "Which tools this role may call, and what to do about the others."},
	{"core.tool-use-policy-template", "When to call a tool rather than answer, which calls to make at once, what to check first."},
	{"core.tool-error-recovery-template", "What to do when a tool fails: read the message, change something, give up after how many tries."},
	{"core.permission-escalation-template", "Which actions need a person's consent, and how to ask for it."},
	{"core.planning-template", "When to write a plan, how fine, and how to keep it true."},
	{"core.task-tracking-template", "How open, running and finished tasks are recorded."},
	{"core.delegation-template", "When to hand work to another agent, what to tell it, how to take over its result."},
	{"core.async-job-lifecycle-template", "The states of a background job, and what the agent may do in each."},
	{"core.job-history-template", "How jobs that have ended are listed, and which of them still matter."},
	{"core.environment-template", "Facts about the machine, the workspace and the session, as values."},
	{"core.workspace-conventions-template", "The project's own rules: layout, style, names, how to build and test."},
	{"core.version-control-template", "What may be committed, how messages are written, what is never rewritten."},
	{"core.verification-template", "What has to be run or checked before work is called done."},
	{"core.knowledge-base-template", "How retrieved passages are used and what to do when they are silent."},
	{"core.citation-rules-template", "What must be cited, and in which form."},
	{"core.memory-policy-template", "What to remember across sessions, what to forget, how to correct it."},
	{"core.context-limits-template", "What to do as the context fills: what to summarise, what to keep word for word."},
	{"core.clarification-template", "When to ask and when to assume, and how to say what was assumed."},
	{"core.handoff-template", "When and how a conversation goes to a person."},
	{"core.localization-template", "Language, locale, units and dates of the answers, as values."},
	{"core.response-stylesheet-defaults", "Length, tone and markup of answers where nobody asked for others."},
	{"core.output-format-template", "The exact form of output that a program reads."},
	{"core.export-rules-template", "What may leave the conversation as a file or a message, and in which formats."},
}

// CoreTemplates returns the core templates, in the order in which they stand in a prompt.
func CoreTemplates() []CoreTemplate { return slices.Clone(coreTemplates) }

// CoreTemplateIDs returns the ids of [CoreTemplates].
func CoreTemplateIDs() []string {
	ids := make([]string, len(coreTemplates))
	for i, t := range coreTemplates {
		ids[i] = t.ID
	}
	return ids
}

// coreRank returns the place of a core template, from 1; 0 for any other name.
func coreRank(name string) int {
	if !strings.HasPrefix(name, "core.") {
		return 0
	}
	return 1 + slices.IndexFunc(coreTemplates, func(t CoreTemplate) bool { return t.ID == name })
}

// nearestCoreTemplate returns the id with the fewest bytes to change, the first of them in the list.
func nearestCoreTemplate(id string) string {
	nearest, least := "", -1
	for _, t := range coreTemplates {
		if d := edits.Distance(id, t.ID); least < 0 || d < least {
			nearest, least = t.ID, d
		}
	}
	return nearest
}
