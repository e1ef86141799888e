package request

import (
	"strings"
	"time"

	"github.com/quirehq/quire/composer/messages"
)

// An Input is what one call is made of. Every list keeps its order. Texts are exact bytes; an empty one fills its slot
// with nothing.
type Input struct {
	Tenant   string // in the cache key alone, unless entries are shared
	Template Template

	// Of the tenant, stable by default.
	OutputFormat string
	Addendum     string
	Skills       []Skill

	// Of the call.
	Now          time.Time      // for {today}; the zero time fills it with nothing
	Zone         *time.Location // what day it is, and {timezone}; nil: UTC
	Locale       string
	Instructions string
	Context      string
	Facts        string // about the user; never cut
	Notes        string // of the working memory, after the facts; never cut
	Chunks       []Chunk
	History      []messages.Message // from its start
	Question     messages.Message   // without a role it is the user's; blank texts in it are left out
	Files        []File             // of the question

	Tools  []Tool
	Params []messages.Member // of the body, passed on
}

// A Skill is something the model can be told how to do.
type Skill struct{ Name, Description, Body string }

// A Chunk is a text that was retrieved for the call.
type Chunk struct {
	ID   string
	Text string
	Rank int64 // the lowest is left out first; of equal ones the later
}

// A File belongs to the question. It goes inline when the model reads its type.
type File struct {
	Name      string // for warnings, and as the title of a document
	MediaType string // such as image/png; case and parameters do not matter
	Data      []byte
}

// today renders the date of the call.
func (in *Input) today() string {
	if in.Now.IsZero() {
		return ""
	}
	return in.Now.In(in.zone()).Format(time.DateOnly)
}

func (in *Input) zone() *time.Location {
	if in.Zone == nil {
		return time.UTC
	}
	return in.Zone
}

// listed reports whether the model can load skills by itself.
func (c *Config) listed(tools []Tool) bool {
	if c.LoadSkillTool == "" {
		return false
	}
	for _, t := range tools {
		if t.Name == c.LoadSkillTool {
			return true
		}
	}
	return false
}

// skills renders the slot {skills}: a line each, or each written out.
func skills(list []Skill, listed bool) string {
	var b strings.Builder
	for i, s := range list {
		switch {
		case listed && i > 0:
			b.WriteString("\n")
		case i > 0:
			b.WriteString("\n\n")
		}
		if listed {
			b.WriteString("- " + s.Name + ": " + s.Description)
		} else {
			b.WriteString("# " + s.Name + "\n" + s.Body)
		}
	}
	return b.String()
}

// values renders what the slots stand for, but memory and chunks, which are cut.
func (in *Input) values(c *Config) (v slotTexts) {
	zone := ""
	if in.Zone != nil || !in.Now.IsZero() {
		zone = in.zone().String()
	}
	v[slotOutputFormat] = in.OutputFormat
	v[slotAddendum] = in.Addendum
	v[slotSkills] = skills(in.Skills, c.listed(in.Tools))
	v[slotToday] = in.today()
	v[slotLocale] = in.Locale
	v[slotTimezone] = zone
	v[slotInstructions] = in.Instructions
	v[slotContext] = in.Context
	return v
}
