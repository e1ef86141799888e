package bench

import (
	"fmt"
	"strings"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
)

// Assembling returns the jobs that assemble a registry for a scope four levels deep, render the prompt and hash it:
// a fifth of the sections in each of the five layers, 200 tools of 20 providers, 50 variables, a reference in every
// tenth section. Their floor copies the rendered prompt and hashes it.
func Assembling() []Job {
	var jobs []Job
	for count := 10; count <= 100_000; count *= 10 {
		jobs = append(jobs, assembling("assemble", count, 1<<10, 200))
	}
	for count := 100_000; count <= 1_000_000; count *= 10 {
		jobs = append(jobs, assembling("assemble-small", count, 128, 200))
	}
	return jobs
}

func assembling(name string, count, size, tools int) Job {
	return Job{
		Name:  name,
		Size:  fmt.Sprintf("sections=%d/size=%s/tools=%d", count, bytesName(size), tools),
		Count: count,
		Bytes: int64(len(fragments.DefaultIdentity)) + int64(count)*int64(size+2),
		Prepare: func() (run, floor func()) {
			r, scope := registry(count, size, tools)
			assemble := func() string {
				a, err := r.Assemble(fragments.AssembleContext{Scope: scope})
				check(err)
				text, err := a.Render()
				check(err)
				return text
			}
			text := assemble()
			return func() { fingerprint.SumString(assemble()) }, func() { fingerprint.SumString(strings.Clone(text)) }
		},
	}
}

// registry returns a registry and the deepest of its scopes.
func registry(count, size, tools int) (*fragments.Registry, fragments.Scope) {
	const (
		layers, variables, perProvider = 5, 50, 10

		value = "a value"
	)
	r, err := fragments.New(fragments.Options{ToolOrder: []string{"tool-7", fragments.UnlistedTools, "tool-3"}})
	check(err)
	scopes := make([]fragments.Scope, layers)
	for i := 1; i < layers; i++ {
		scopes[i] = scopes[i-1].Child(fmt.Sprint("level-", i))
	}
	for i, s := range Sections("The quick brown fox jumps over. ", count, size) {
		text := s.Content
		if i%10 == 0 { // of the same length once it is rendered
			text = fmt.Sprintf("{{v%d}}%s", i/10%variables, text[len(value):])
		}
		_, err := r.Section(scopes[i%layers], fragments.Section{Name: s.ID, Order: i * 7919 % 1000, Text: text, Tier: s.Tier})
		check(err)
	}
	for i := range variables {
		_, err := r.Variable(scopes[i%layers], fmt.Sprint("v", i), fragments.StaticValue(value))
		check(err)
	}
	schema, err := fragments.ParseSchema([]byte(`{"type":"object","properties":{"path":{"type":"string"}}}`))
	check(err)
	for i := 0; i < tools; i += perProvider {
		list := make([]fragments.Tool, perProvider)
		for k := range list {
			list[k] = fragments.Tool{Name: fmt.Sprint("tool-", i+k), Description: "Does something.", Schema: schema}
		}
		_, err := r.Tools(scopes[i%layers], fmt.Sprint("provider-", i), fragments.StaticTools(list...))
		check(err)
	}
	return r, scopes[layers-1]
}

// check is for errors that cannot be: what is registered is ours.
func check(err error) {
	if err != nil {
		panic(err) // unreachable, as said
	}
}
