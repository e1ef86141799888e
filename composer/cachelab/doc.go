// Package cachelab decides what a provider's prompt cache would do with a request: what it would read, what it would
// write, why it would miss, and what a whole session would cost.
//
// There are four nouns. A [Request] is a model call in the pieces that a cache can tell apart: tools, system prompt,
// blocks of messages. A [Profile] is one service and model family as data: how it matches, what it needs, what it costs,
// each figure with its source, the day it was seen and how sure it is. [Explain] says why one request would not read
// what another wrote. [Simulate] plays a series of requests against a profile. And [Lint] says what will cost cache
// before it does.
//
// The contract:
//   - Nothing is asked of a provider. Every result is a prediction under the profile it names, never a promise.
//   - A profile names its match model, because services differ in kind, not only in figures: a prefix that one service
//     reads halfway another does not read at all. See [MatchModel].
//   - Tokens are estimated by the measure that the requests were made with. Images and other media count as nothing.
//   - Ratios are exact decimals, times are values of the caller: the same input gives the same result everywhere.
//
// What it does not know: what a provider adds to a prompt and does not show, how its machines are loaded, whether a
// request reached the machine that holds the entry, and when an entry was evicted before its time.
package cachelab
