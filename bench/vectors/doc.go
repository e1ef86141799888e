// Package vectors holds golden vectors: inputs of the composer with everything it decides about them, as lines of JSON
// that another implementation can read. README.md describes the format.
//
// The files are testdata/edges.jsonl, whose inputs are written by hand in edges.go, and testdata/drawn.jsonl, whose
// inputs come from a small generator with a fixed seed in drawn.go. "go generate" rewrites both; the test compares them
// with what this build decides, on every platform it is run on.
package vectors

//go:generate go test -run ^TestFilesAreGenerated$ -update .
