// Package messages decides what goes into one model call: chat messages, and what a host adds to them, under a budget.
//
// There are three steps, each a value that can be looked at. An [Input] is what a host has. [Build] makes messages of
// it, by group: a [Prompt]. [Prompt.Assemble] makes an [Assembly]: the messages that fit, in the order of a [Layout],
// with a [Report] of what was left out. [Assemble] does both.
//
// The contract:
//   - What fits is decided by package composer, under its gate "reserved". This package says what stands where
//     ([Layout]), what is evicted before what, and what only together ([Policy]); all of it becomes tiers, priorities,
//     one chain and groups of sections. There is no second eviction.
//   - Instructions, the current input and the tools are never evicted. When they alone exceed the budget, that is an
//     error with the amount, and nothing is returned.
//   - Under the policies [ByUnit] and [Quantised] a tool call and its results stay or go together, also where calls are
//     parallel, ids are used again or are missing.
//   - Under [Quantised] the history is cut on a grid that depends on the history alone, so that what a provider has
//     cached lasts from turn to turn.
//   - A message is charged for its text; its bytes in the prompt are its canonical JSON. Ids, metadata, cache markers
//     and the way a format spelled it decide nothing.
//   - Notices are constant texts. Nothing here reads a clock, a file or a random number; a resource comes from the
//     caller's loader.
//   - [Assembly.Compilation] names what decided the result, and [CompileRecipe] makes the composition from it again.
//
// Messages of the formats that providers take and that agents log are read and written by the packages below this one.
//
// It does not promise that the provider's count of tokens is the budget's: that depends on the estimator, and on what a
// provider adds around a message. Images and other media count as nothing.
package messages
