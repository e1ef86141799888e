// Package request decides what one model call sends: it assembles a tenant's template, the conversation and what was
// retrieved for it into a [Request], under the context size of the model.
//
// [New] checks a [Config] and returns an [Assembler]; [Assembler.Build] makes a [Result] of an [Input]. Nothing else
// happens in between: there is no I/O, no clock, no state. The packages below this one write a Request as the body that a
// provider takes, with cache markers; [Fingerprint] names a body.
//
// The contract:
//   - The template is split at {cacheBreakpoint} before it is filled, it is filled in one pass, and values are never
//     scanned. No value can move the breakpoint or open a slot.
//   - The bytes of the stable block and those of the per-call block, one after the other, are the prompt that is sent
//     without caching. The stable block does not change when only per-call inputs change.
//   - What is left out is decided by package composer under its gate "reserved". Template, memory and question are core;
//     history units and chunks are one chain: all history goes, oldest first, before the lowest-ranked chunk does.
//   - A template's mistakes are warnings, never errors, and so is everything that was left out. Warnings have stable
//     codes and come in the order template, files, turns, chunks, overflow.
//   - Equal inputs give equal bytes. [Result.Compilation] names all that decided them, and [CompileRecipe] makes the
//     composition again.
//
// It does not promise that the provider counts tokens as the estimator does. Tool definitions and the bytes of files are
// not in the estimate: [Config.Reserve] leaves room for them.
package request
