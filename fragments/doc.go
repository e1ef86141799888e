// Package fragments decides who contributes what to a prompt.
//
// Many owners register named pieces in a [Registry]: a [Section] of text, a provider of tools, a variable, a transform.
// Each is registered in a [Scope]; [Registry.Assemble] collects what one scope sees and returns an [Assembly]: sections
// in order, tool schemas in order, variables with their values. [Assembly.Render] is the prompt; [Assembly.Lower] hands
// the sections to package composer, which can hold them against a budget.
//
// The contract:
//   - The order in which owners registered never reaches the output. Sections stand by order, then by name; tools by
//     the configured order, then by name; transforms run by order, then by name. Names are compared by their bytes.
//   - A scope sees the global layer, its ancestors' and its own. The nearest section or variable of a name wins and
//     replaces the other whole. Tools and transforms never shadow: all that are visible count.
//   - References in texts are strict, see package template. An assembly is refused whole or returned whole.
//   - What its owner declared final comes out as registered, whatever transforms do.
//
// Providers, gates and transforms are called without any lock held, each at most once an assembly, always in the same
// order. Where they are pure, equal registries and equal contexts give equal bytes. A provider that reads a clock is the
// caller's decision, and package fragments cannot tell.
package fragments
