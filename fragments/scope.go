package fragments

import "strings"

// A Scope is a place in a tree of layers: a tenant, an agent of that tenant, a session of that agent. The zero Scope is
// the global layer, which is the root. Scopes are values: two that were made by the same steps are equal, and nothing
// has to be registered for a scope to exist.
type Scope struct {
	path string // "/" and the escaped name for every step: an ancestor's path is a prefix
}

// Child returns the scope of that name below s. Any name will do, also an empty one.
func (s Scope) Child(name string) Scope {
	return Scope{s.path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)}
}

// Parent returns the scope that s was made from, and whether there is one: the global layer has none.
func (s Scope) Parent() (Scope, bool) {
	last := strings.LastIndexByte(s.path, '/')
	if last < 0 {
		return Scope{}, false
	}
	return Scope{s.path[:last]}, true
}

// Name returns what was passed to [Scope.Child]; "" for the global layer.
func (s Scope) Name() string {
	last := strings.LastIndexByte(s.path, '/')
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(s.path[last+1:])
}

// String returns the path from the root, "/acme/reviewer"; "global" for the global layer.
func (s Scope) String() string {
	if s.path == "" {
		return "global"
	}
	return s.path
}
