// Package lint decides whether this module's source keeps the rules that the
// compiler cannot check: which package may import which, what code that
// produces bytes may touch, and what must never be committed.
//
// [Load] reads a file tree once into a [Tree]. Each [Check] is a pure function
// from a Tree to [Finding] values, so it runs the same over the module on disk
// and over a few lines of bad source in a test. The rules themselves are data:
// the import floors in floors.go, the exemptions with their reasons in
// exempt.go.
//
// The checks read syntax and the types that a package declares itself; imported
// packages are not loaded. That keeps a run at a second or two and means that a rule
// about a value whose type comes from another package is checked by the name of
// the function that returns it, not by its type.
package lint
