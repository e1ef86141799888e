package replay

import (
	"sync"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/messages"
	"github.com/quirehq/quire/composer/request"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments"
)

// A Compiler makes a composition from the canonical JSON of a front end's recipe. The inputs come from load, which is
// asked by the digests that stand in the recipe, and vouches for what it returns. A recipe of a version that it does not
// compile is refused with [composer.ErrVersion].
type Compiler func(recipe []byte, load func(fingerprint.Digest) (string, error)) (composer.Composition, error)

// frontEnds are the compilers of this module's front ends, by the kind of their recipes.
var frontEnds = sync.OnceValue(func() map[string]Compiler {
	return map[string]Compiler{
		fragments.KindFragments: fragments.CompileRecipe,
		messages.KindMessages:   messages.CompileRecipe,
		request.KindRequest:     request.CompileRecipe,
	}
})

// Compiler returns what compiles recipes of a kind: what Compilers has for it, else the front end of this module. It is nil
// where there is none, and for the composer's own recipes.
func (o Options) Compiler(kind string) Compiler {
	if front := o.Compilers[kind]; front != nil {
		return front
	}
	return frontEnds()[kind]
}
