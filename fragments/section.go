package fragments

import (
	"fmt"

	"github.com/quirehq/quire/tiers"
)

// An AssembleContext is what one assembly is for. Providers, gates and transforms see it; they must accept any field being
// empty.
type AssembleContext struct {
	Scope   Scope
	Channel string            // where the conversation takes place
	Tenant  string            // whose it is
	Role    string            // what the agent is there for
	Facts   map[string]string // what else a host lets its contributors know
}

// Orders by convention. Nothing enforces the bands.
const (
	OrderIdentity    = -100 // harness:identity
	OrderPrepend     = -1   // [PrependPersona]
	OrderPersona     = 0    // deployment:persona
	OrderCore        = 10   // core templates, in the order of [CoreTemplateIDs]
	OrderTools       = 100  // guidance about tools stands from here …
	OrderToolsBeyond = 200  // … to before here
	OrderAppend      = 1000 // [Append]
)

// The names of the sections that a registry opens with, and the text of the first.
const (
	IdentitySection = "harness:identity"
	PersonaSection  = "deployment:persona"
	DefaultIdentity = "You are an AI agent."
)

// A Section is a piece of the prompt. Only Name is required.
type Section struct {
	Name  string // unique in one layer, not empty, UTF-8
	Order int    // sections stand in ascending order; equal ones by name

	// The text, with references to variables. An empty one is assembled, and disappears when the assembly is rendered.
	Text     string
	TextFunc func(AssembleContext) (string, error) // instead of Text, called once an assembly

	// OwnerFinal puts the section back as registered after all transforms, and in the global layer reserves its name.
	OwnerFinal bool

	// The rest is for [Assembly.Lower]; see composer.Section. Alternates have references too.
	Tier       tiers.Tier
	Alternates []string
	Priority   int
	Chain      string
	Group      string
	Breakpoint bool
}

func (s *Section) check() error {
	if s.TextFunc != nil && s.Text != "" {
		return fmt.Errorf("%w: both Text and TextFunc; want one", ErrIncomplete)
	}
	a := AssembledSection{Text: s.Text, Alternates: s.Alternates, Chain: s.Chain, Group: s.Group}
	return a.check()
}

// An AssembledSection is a section of an [Assembly]. Its text is resolved and its references are not replaced yet.
type AssembledSection struct {
	Name       string
	Text       string
	Tier       tiers.Tier
	Alternates []string // the assembly's own: a transform may change them
	Priority   int
	Chain      string
	Group      string
	Breakpoint bool
}

// check refuses what is not UTF-8.
func (s *AssembledSection) check() error {
	if err := checkUTF8("text", s.Text); err != nil {
		return err
	}
	for k, alternate := range s.Alternates {
		if err := checkUTF8(alternateField(k), alternate); err != nil {
			return err
		}
	}
	if err := checkUTF8("chain", s.Chain); err != nil {
		return err
	}
	return checkUTF8("group", s.Group)
}

func alternateField(k int) string { return fmt.Sprintf("alternate %d", k+1) }
