package replay

import (
	"regexp"
	"sync"

	"github.com/quirehq/quire/fingerprint"
)

// A Secret is something in a stored content that has the shape of a key or a token.
type Secret struct {
	Object fingerprint.Digest
	Offset int    // of its first byte in the content
	Length int    // in bytes
	Kind   string // whose keys look so
}

// shapes are those that their issuers document: a fixed beginning, then enough characters of one alphabet that chance
// or prose does not write them.
var shapes = sync.OnceValue(func() []shape {
	return []shape{
		{"AWS access key", regexp.MustCompile(`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`)},
		{"GitHub token", regexp.MustCompile(`\bgh[pousr]_[0-9A-Za-z]{36,}\b|\bgithub_pat_[0-9A-Za-z_]{60,}\b`)},
		{"GitLab token", regexp.MustCompile(`\bglpat-[0-9A-Za-z_-]{20,}`)},
		{"Anthropic key", regexp.MustCompile(`\bsk-ant-[0-9A-Za-z_-]{24,}`)},
		{"OpenAI key", regexp.MustCompile(`\bsk-(?:proj-|svcacct-)?[0-9A-Za-z_-]{32,}`)},
		{"Google API key", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`)},
		{"Slack token", regexp.MustCompile(`\bxox[abeoprs]-[0-9A-Za-z-]{20,}`)},
		{"Stripe key", regexp.MustCompile(`\b[rs]k_(?:live|test)_[0-9A-Za-z]{20,}`)},
		{"Hugging Face token", regexp.MustCompile(`\bhf_[0-9A-Za-z]{30,}\b`)},
		{"npm token", regexp.MustCompile(`\bnpm_[0-9A-Za-z]{36}\b`)},
		{"PyPI token", regexp.MustCompile(`\bpypi-AgEIcHlwaS[0-9A-Za-z_-]{20,}`)},
		{"JSON web token", regexp.MustCompile(`\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{20,}`)},
		{"private key", regexp.MustCompile(`-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----`)},
		{"bearer token", regexp.MustCompile(`(?i)\bauthorization["']?\s*[:=]\s*["']?bearer\s+[0-9a-z._~+/-]{20,}`)},
	}
})

type shape struct {
	kind    string
	pattern *regexp.Regexp
}

// findSecrets returns what in a content looks like a secret; of two at one place, that of the narrower shape.
func findSecrets(object fingerprint.Digest, content string) []Secret {
	var found []Secret
	taken := map[int]bool{}
	for _, s := range shapes() {
		for _, at := range s.pattern.FindAllStringIndex(content, -1) {
			if !taken[at[0]] {
				taken[at[0]] = true
				found = append(found, Secret{object, at[0], at[1] - at[0], s.kind})
			}
		}
	}
	return found
}
