// Package composer compiles sections into one text under a budget, and says how.
//
// [Compose] takes the sections in the order in which they are to stand and a [Config], and returns a [Composition]. All
// else is read off that one value: the text, its fingerprint, the decision about every candidate, the digest of every
// prefix, the recipe, the explanation. None of these decides anything again. A front end, which makes sections of something
// else, has a recipe of that; the composition with it is a [Compilation].
//
// The contract:
//   - The emission order is the caller's, always. Which sections are in is decided by package tiers.
//   - Text is never trimmed, normalised or re-encoded. What is not valid UTF-8 is refused.
//   - Equal sections and equal configurations give equal bytes and equal decisions, on every machine and in every
//     process. Whatever can change them stands in the [Recipe].
//   - Nothing is dropped without a [Decision], and no error comes with half a result.
//
// It does not promise that the emitted text fits the budget under the published gate; [Composition.Overflow] tells, and
// [Composition.Explain] says why.
package composer

// Version names the rules by which this package compiles. It stands in every recipe and changes whenever any change
// could alter the bytes or the decisions for some input.
const Version = "quire/1"
