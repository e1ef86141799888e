// Package bench measures what Quire costs, beside what the same bytes cost anyway.
//
// A [Job] is one task at one size, with a floor: the least that any program must do for the same result, written out
// without Quire. Both are run in turn in one process, so their ratio means something on a machine that is shared, where
// a time does not. [Measure] does that and [Table] lays the results out; scripts/bench prints it. The same jobs are
// benchmarks for "go test -bench".
package bench
