package request

import (
	"errors"
	"fmt"

	"github.com/quirehq/quire/composer/measure"
)

// A Config says how requests are assembled. [New] checks it.
type Config struct {
	Model     Model
	Reserve   int64            // tokens kept free for the output, tool definitions and files; from 0 to below the context size
	Estimator *measure.Measure // counts tokens; nil: [measure.QuarterTokens]

	Caching bool // the prompt is split at {cacheBreakpoint}, and the stable block gets a breakpoint
	Shared  bool // tenants share the stable block's cache entries; else the tenant is in the cache key
	TTL     TTL  // of the stable block

	// MarkConversation asks, with Caching, for breakpoints after history and question too. They pay where the per-call
	// block before them stays as it is from call to call: a prefix is read only when all of it is the same.
	MarkConversation bool

	// LoadSkillTool is the tool by which the model reads a skill. Where it is among the tools, skills are listed; else,
	// and always when this is "", they are written out.
	LoadSkillTool string

	Strict bool // a request that exceeds the context is an error, not a warning
}

// A Model is what has to be known about a model.
type Model struct {
	Name          string   // as the provider calls it; may be empty
	ContextTokens int64    // input and output together, at least 1
	MediaTypes    []string // of files it reads, such as image/png, application/pdf, image/*; case does not matter
}

// What this package refuses.
var (
	ErrConfig        = errors.New("configuration")
	ErrQuestion      = errors.New("no question")
	ErrContextBudget = errors.New("what is never left out exceeds the context")
)

// A BudgetError says by how much what is never left out (template, memory, question) exceeds the context without the
// reserve. It matches [ErrContextBudget].
type BudgetError struct{ Tokens int64 }

// Error names the amount.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("request: %v by %d tokens", ErrContextBudget, e.Tokens)
}

// Is reports whether the target is [ErrContextBudget].
func (e *BudgetError) Is(target error) bool { return target == ErrContextBudget }

// An Assembler makes requests under one configuration. It has no state; several goroutines may use it at once.
type Assembler struct {
	config    Config
	estimator measure.Measure
	rules     rules
}

// rules are what decides beside the inputs; they are in every recipe.
type rules struct {
	context, reserve int64
	caching          bool
	conversation     bool // breakpoints after history and question
}

// New returns an assembler, or [ErrConfig] with what is wrong.
func New(cfg Config) (*Assembler, error) {
	a := &Assembler{config: cfg, estimator: measure.QuarterTokens()}
	if cfg.Estimator != nil {
		a.estimator = *cfg.Estimator
	}
	fail := func(format string, args ...any) (*Assembler, error) {
		return nil, fmt.Errorf("request: %w: %w", ErrConfig, fmt.Errorf(format, args...))
	}
	switch empty := a.estimator.Count(""); {
	case cfg.Model.ContextTokens < 1:
		return fail("a context of %d tokens; want 1 or more", cfg.Model.ContextTokens)
	case cfg.Reserve < 0:
		return fail("a reserve of %d tokens; want 0 or more", cfg.Reserve)
	case cfg.Reserve >= cfg.Model.ContextTokens:
		return fail("a reserve of %d tokens in a context of %d; want less", cfg.Reserve, cfg.Model.ContextTokens)
	case int(cfg.TTL) >= len(ttls):
		return fail("unknown lifetime %d", cfg.TTL)
	case a.estimator.Name() == "":
		return fail("an estimator without a name")
	case empty != 0:
		return fail("the estimator %q counts %d for the empty text; want 0", a.estimator.Name(), empty)
	}
	for _, t := range cfg.Model.MediaTypes {
		if mediaType(t) == "" {
			return fail("media type %q; want TYPE/SUBTYPE or TYPE/*", t)
		}
	}
	a.rules = rules{cfg.Model.ContextTokens, cfg.Reserve, cfg.Caching, cfg.Caching && cfg.MarkConversation}
	return a, nil
}
