package lint

// A Row says what one package of the module may import. It is the table of
// ARCHITECTURE.md in a form that can be checked.
//
// A package may import any package on a lower floor. On its own floor it may
// import only those in Beside. It may never import a higher floor.
type Row struct {
	// Path is relative to the module root. A Path that ends in "/..." stands for
	// every package under that folder.
	Path  string
	Floor int
	// Beside lists the packages of the same floor that this one may import.
	Beside []string
	// Only, when it is not nil, lists the rows whose code may import this package.
	// It is for packages that are heavy to link.
	Only []string
	// Third lists the modules of others that the package's code may import.
	Third []string
}

// effects is the first floor whose code may have effects. Everything below it
// is a pure function of its arguments.
const effects = 4

// Floors returns the table: a row for every package there may be.
func Floors() []Row {
	const (
		blake3 = "github.com/zeebo/blake3"
		uniseg = "github.com/rivo/uniseg"
		text   = "golang.org/x/text"
		json   = "github.com/go-json-experiment/json"
		rapid  = "pgregory.net/rapid"
		yaml   = "go.yaml.in/yaml/v4"
		udiff  = "github.com/aymanbagabas/go-udiff"
		zstd   = "github.com/klauspost/compress"
		sqlite = "github.com/ncruces/go-sqlite3"
		pgx    = "github.com/jackc/pgx/v5"
		cobra  = "github.com/spf13/cobra"
		term   = "golang.org/x/term"
		cmp    = "github.com/google/go-cmp"
	)
	return []Row{
		// Floor 0: no text becomes anything else yet.
		{Path: "tiers", Floor: 0},
		{Path: "internal/wellformed", Floor: 0},
		{Path: "composer/measure", Floor: 0, Beside: []string{"internal/wellformed"}},
		{Path: "composer/measure/bpe", Floor: 0, Beside: []string{"composer/measure", "internal/wellformed"}, Third: []string{blake3},
			// The vocabularies are megabytes: a program pays for them only when it asks.
			Only: []string{"internal/promptfile", "fuzz", "bench/...", "cmd/quire", "examples/..."}},
		{Path: "internal/utf16order", Floor: 0},
		{Path: "internal/edits", Floor: 0},
		{Path: "internal/pages", Floor: 0},
		{Path: "fingerprint", Floor: 0, Beside: []string{"internal/utf16order", "internal/wellformed"}, Third: []string{blake3, json}},
		{Path: "internal/canonical", Floor: 0, Beside: []string{"fingerprint", "internal/edits", "internal/wellformed", "tiers"}, Third: []string{json}},
		{Path: "fragments/template", Floor: 0, Beside: []string{"internal/utf16order"}, Third: []string{json}},

		// Floor 1: sections in, composition out.
		{Path: "composer", Floor: 1, Third: []string{blake3, json, udiff}},

		// Floor 2: front ends.
		{Path: "guidance", Floor: 2, Third: []string{json}},
		{Path: "fragments", Floor: 2, Beside: []string{"guidance"}, Third: []string{json}},
		{Path: "fragments/sections", Floor: 2, Beside: []string{"fragments", "guidance"}},
		{Path: "fragments/examples", Floor: 2, Beside: []string{"fragments", "guidance"}},
		{Path: "composer/messages", Floor: 2, Third: []string{json, uniseg}},
		{Path: "composer/internal/wire", Floor: 2, Beside: []string{"composer/messages"}, Third: []string{json}},
		{Path: "composer/messages/openai", Floor: 2, Beside: []string{
			"composer/internal/wire", "composer/messages"}, Third: []string{json}},
		{Path: "composer/messages/anthropic", Floor: 2, Beside: []string{
			"composer/internal/wire", "composer/messages"}, Third: []string{json}},
		{Path: "composer/messages/sessions", Floor: 2, Beside: []string{
			"composer/internal/wire", "composer/messages", "composer/messages/anthropic", "composer/messages/openai"}, Third: []string{json, zstd}},

		// Floor 3: whole requests.
		{Path: "composer/request", Floor: 3, Third: []string{json}},
		{Path: "composer/request/internal/markers", Floor: 3, Beside: []string{"composer/request"}},
		{Path: "composer/request/anthropic", Floor: 3, Beside: []string{
			"composer/request", "composer/request/internal/markers"}, Third: []string{json}},
		{Path: "composer/request/openai", Floor: 3, Beside: []string{
			"composer/request", "composer/request/internal/markers"}, Third: []string{json}},
		{Path: "composer/cachelab", Floor: 3, Beside: []string{
			"composer/request", "composer/request/anthropic", "composer/request/openai"}, Third: []string{json, text}},
		{Path: "internal/promptfile", Floor: 3, Beside: []string{"composer/request"}, Third: []string{json, yaml}},

		// Floor 4: the first with effects.
		{Path: "replay", Floor: 4, Third: []string{blake3, json, udiff, zstd}},
		{Path: "replay/sqlite", Floor: 4, Beside: []string{"replay"}, Third: []string{sqlite, zstd},
			Only: []string{"bench/...", "cmd/quire", "examples/..."}},
		{Path: "replay/postgres", Floor: 4, Beside: []string{"replay"}, Third: []string{pgx, zstd},
			Only: []string{"bench/...", "cmd/quire", "examples/..."}},
		{Path: "replay/storetest", Floor: 4, Beside: []string{"replay"}, Third: []string{cmp, rapid}},
		{Path: "replay/replaytest", Floor: 4, Beside: []string{"replay"}, Third: []string{cmp}},

		// Floor 5: what tries the rest.
		{Path: "fuzz", Floor: 5, Third: []string{rapid}},
		{Path: "bench", Floor: 5, Beside: []string{"fuzz"}, Third: []string{blake3, pgx}},
		{Path: "bench/vectors", Floor: 5, Beside: []string{"bench", "fuzz"}},

		// Floor 6: programs.
		{Path: "cmd/quire", Floor: 6, Third: []string{cobra, json, term}},
		{Path: "examples/...", Floor: 6},
		{Path: "scripts/...", Floor: 6},

		{Path: "internal/lint", Floor: 0},
		{Path: "internal/samples", Floor: 5}, // for tests
		{Path: "internal/mutate", Floor: 6},  // a program
	}
}

// testModules returns the modules that test code may import beside those of its
// package's row: comparison, properties, scripts, and independent implementations
// to check ours against.
func testModules() []string {
	return []string{
		"github.com/google/go-cmp",
		"github.com/rogpeppe/go-internal",
		"pgregory.net/rapid",
		"github.com/go-json-experiment/json",
		"github.com/gowebpki/jcs",
		"github.com/zeebo/blake3",
	}
}

// pureStd returns the packages of the standard library that code below the
// first floor with effects may import: those whose functions are decided by their
// arguments alone, on every platform and under every Go release.
//
// What is missing is missing for a reason. encoding/json writes different bytes
// for invalid UTF-8 with GOEXPERIMENT=jsonv2. unicode's tables move with Go
// releases, and regexp and x/text use them. os, net, time, math/rand, log,
// runtime and path/filepath read the machine.
func pureStd() []string {
	return []string{
		"bytes", "cmp", "embed", "encoding", "encoding/base64", "encoding/binary", "encoding/hex",
		"errors", "fmt", "hash", "io", "iter", "maps", "math", "math/big", "math/bits",
		"slices", "sort", "strconv", "strings", "sync", "unicode/utf16", "unicode/utf8",
		"container/heap", "container/list", "compress/flate", "compress/gzip", "crypto/sha256", "text/tabwriter",
	}
}

// alsoStd returns what single packages may import beyond [pureStd], by path.
func alsoStd() map[string][]string {
	return map[string][]string{
		// The date comes in as a value; reading the clock is its own check.
		"composer/request": {"time"},
		// Reads prompt files, as its name says, and ends before sections exist.
		// It reads instants and the names of time zones too.
		"internal/promptfile": {"io/fs", "os", "path", "path/filepath", "time"},
		// One of the logs is a zip archive, in memory; and times are read as they are written, never asked for.
		"composer/messages/sessions": {"archive/zip", "time"},
		// A glob is what path.Match says it is; nothing else of the package is used.
		"guidance": {"path"},
		// This checker compares and parses source of the module.
		"internal/lint": {"go/ast", "go/constant", "go/format", "go/parser", "go/token", "go/types", "io/fs", "path", "regexp"},
	}
}
