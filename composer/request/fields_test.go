package request_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
)

// What decides about a composition is in its recipe. For each field there is a change that must show there, or the reason
// why it cannot; a new field without either fails.
func TestEveryFieldIsInTheRecipe(t *testing.T) {
	type change struct {
		input  func(*request.Input)
		config func(*request.Config)
		model  func(*request.Model)
		why    string // the recipe must stay as it is
	}
	in := func(f func(*request.Input)) change { return change{input: f} }
	cfg := func(f func(*request.Config)) change { return change{config: f} }
	own := measure.New("own", func(text string) int64 { return int64(len(text)) })
	changes := map[string]map[string]change{
		"Input": {
			"Tenant": {input: func(in *request.Input) { in.Tenant = "x" }, why: "it is in the cache key alone"},
			"Params": {input: func(in *request.Input) { in.Params = []messages.Member{{Name: "x", Value: "1"}} }, why: "they are in the body alone"},

			"Template":     in(func(in *request.Input) { in.Template = request.ParseTemplate("x{cacheBreakpoint}{memory}", nil) }),
			"OutputFormat": in(func(in *request.Input) { in.OutputFormat = "x" }),
			"Addendum":     in(func(in *request.Input) { in.Addendum = "x" }),
			"Skills":       in(func(in *request.Input) { in.Skills = in.Skills[1:] }),
			"Now":          in(func(in *request.Input) { in.Now = in.Now.Add(24 * time.Hour) }),
			"Zone":         in(func(in *request.Input) { in.Zone = time.UTC }),
			"Locale":       in(func(in *request.Input) { in.Locale = "x" }),
			"Instructions": in(func(in *request.Input) { in.Instructions = "x" }),
			"Context":      in(func(in *request.Input) { in.Context = "x" }),
			"Facts":        in(func(in *request.Input) { in.Facts = "x" }),
			"Notes":        in(func(in *request.Input) { in.Notes = "x" }),
			"Chunks":       in(func(in *request.Input) { in.Chunks = slices.Clone(in.Chunks); in.Chunks[1].Rank++ }),
			"History":      in(func(in *request.Input) { in.History = in.History[1:] }),
			"Question":     in(func(in *request.Input) { in.Question = ask("x") }),
			"Files":        in(func(in *request.Input) { in.Files = []request.File{{"x", "image/png", []byte("x")}} }),
			"Tools":        in(func(in *request.Input) { in.Tools = []request.Tool{{Name: "x"}} }),
		},
		"Config": {
			"Shared": {config: func(c *request.Config) { c.Shared = true }, why: "it is in the cache key alone"},
			"TTL":    {config: func(c *request.Config) { c.TTL = request.OneHour }, why: "it is in the body alone"},
			"Strict": {config: func(c *request.Config) { c.Strict = true }, why: "it turns an overflow into an error"},

			"Model":            cfg(func(c *request.Config) { c.Model.ContextTokens++ }),
			"Reserve":          cfg(func(c *request.Config) { c.Reserve++ }),
			"Estimator":        cfg(func(c *request.Config) { c.Estimator = &own }),
			"Caching":          cfg(func(c *request.Config) { c.Caching = false }),
			"MarkConversation": cfg(func(c *request.Config) { c.MarkConversation = true }),
			"LoadSkillTool":    cfg(func(c *request.Config) { c.LoadSkillTool = "load" }),
		},
		"Model": {
			"Name":       {model: func(m *request.Model) { m.Name = "x" }, why: "it is in the body alone"},
			"MediaTypes": {model: func(m *request.Model) { m.MediaTypes = nil }, why: "what is left of the question is in the recipe"},

			"ContextTokens": {model: func(m *request.Model) { m.ContextTokens++ }},
		},
	}
	recipe := func(c change) string {
		input := full("{skills}{cacheBreakpoint}{memory}{chunks}")
		input.History = []messages.Message{ask("a"), ask("b")}
		input.Tools = []request.Tool{{Name: "load"}}
		config := config(1000)
		if c.input != nil {
			c.input(&input)
		}
		if c.config != nil {
			c.config(&config)
		}
		if c.model != nil {
			c.model(&config.Model)
		}
		return string(build(t, config, input).Compilation().Recipe)
	}
	plain := recipe(change{})
	for _, typ := range []reflect.Type{reflect.TypeFor[request.Input](), reflect.TypeFor[request.Config](), reflect.TypeFor[request.Model]()} {
		for i := range typ.NumField() {
			name := typ.Field(i).Name
			c, known := changes[typ.Name()][name]
			switch {
			case !known:
				t.Errorf("%s.%s: nobody says whether it decides", typ.Name(), name)
			case (recipe(c) == plain) != (c.why != ""):
				t.Errorf("%s.%s: the recipe is the same: %v; %s", typ.Name(), name, c.why == "", fmt.Sprint(c.why))
			}
		}
	}
}

func TestTTLText(t *testing.T) {
	for _, ttl := range []request.TTL{request.FiveMinutes, request.OneHour} {
		text, err := ttl.MarshalText()
		back := request.OneHour - ttl // the other
		if err != nil || back.UnmarshalText(text) != nil || back != ttl {
			t.Errorf("%v marshals to %q, %v and back to %v", ttl, text, err, back)
		}
	}
	kept := request.OneHour
	if err := kept.UnmarshalText([]byte("2h")); err == nil || kept != request.OneHour {
		t.Errorf("a lifetime that is none: %v, and it is %v", err, kept)
	}
}
