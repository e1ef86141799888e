package lint

// Exemptions returns the findings that stand, each with its reason.
func Exemptions() []Exemption {
	const scratch = "working memory that every user clears first: nothing of one call can be seen in another"
	return []Exemption{
		{"floats", "fingerprint/jsonnumber.go", "",
			"RFC 8785 defines a number as the nearest double; strconv rounds correctly and no arithmetic follows"},
		{"floats", "fragments/template/json.go", "",
			"prints a number as JavaScript does: the nearest double, read and printed by correctly rounding functions, no arithmetic"},
		{"std", "fingerprint/digest.go", `"unsafe"`,
			"lends a string's bytes to the hash, which only reads them: a copy costs more than the hash"},
		{"std", "composer/candidates.go", `"hash/maphash"`,
			"the seed spreads a table that is searched in list order, so the duplicate found does not depend on it"},
		{"state", "composer/measure/bpe/encoding.go", "sync.Pool", scratch},
		{"state", "composer/measure/bpe/memo.go", "sync.Pool", scratch},
		{"private", "examples/...", "someone's machine",
			"a made-up person's workspace in a made-up prompt"},
	}
}
