// Package fuzz tries compile functions: yours, and those of this module.
//
// There are two kinds of things here. Generators draw inputs: [Inputs], [Prompts], [Sessions], [Registrations],
// [Templates] and what they are made of, all of them accepted by the functions they are for; and hostile ones
// ([HostileInputs], [HostileSessions], [HostileTemplates]), which are refused. Checks state what a compile function
// owes its callers:
//
//	CheckDeterministic   the same input gives the same bytes, whatever the clock, the schedule and the calls before say
//	CheckWithinBudget    what is emitted fits any budget that core fits
//	CheckPrefixStable    no tail changes the bytes up to the last breakpoint
//	CheckOrderFree       the order of registration changes nothing
//	CheckAccounted       nothing is dropped without a decision, and the text is what was decided
//	CheckReplay          what was recorded is verified, and compiled again to the same record
//	CheckRobust          hostile input is an error or a composition, the same each time; never a panic
//
// A compile function is any function that ends in a [composer.Composition]: composer.Compose itself, a front end, or
// what a program builds its prompts with. Its input is of any type, drawn by a generator of this package or one of your
// own. So a regression suite is a line a law:
//
//	func TestPrompt(t *testing.T) {
//		fuzz.CheckDeterministic(t, fuzz.Inputs(12), prompt)
//	}
//
// A check fails the test with an explanation and the least input that rapid shrinks the failure to. How many inputs are
// tried is rapid's: the flag -rapid.checks. A check for which the compile function refuses every input fails too, for
// it has shown nothing. Inside a property of rapid, where t is a *rapid.T, a check draws one input from it, so that it
// can be a native fuzz target:
//
//	func FuzzPrompt(f *testing.F) {
//		f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { fuzz.CheckDeterministic(t, fuzz.Inputs(12), prompt) }))
//	}
//
// What it does not promise: that a check finds every fault, or that a generator draws the same values under another
// release of this module or of rapid.
package fuzz
