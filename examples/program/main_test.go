package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The whole output, on every machine. The fingerprint is what b3sum prints for the text.
const want = `You review pull requests for a small team. Be brief and kind.

Quote the line you speak of. Say what would be right, not only what is wrong.

House style: errors are lower case, comments say why, names have no stutter.

Earlier reviews of this author: watch the tests.

fingerprint: 003003318e8e9297d3070ad6b46b6fbff4a7d79ed7b4011e471fcaa669487569
recipe:      ff7b19f11f23881166390e9fe76d84006505b77a58395af342546b44cf254c07
dropped:     ["changelog"]
cacheable:   140 bytes up to "rules", db9b5faf83f99134c5837cff6cbaff4665ec76934349fd593dc927e1f6dd27ae
event:       {
  "sections": 4,
  "totalChars": 262,
  "totalTokensEst": 66,
  "budgetUsedPct": 94,
  "effectiveBudget": 280,
  "sectionChars": {
    "history": 48,
    "persona": 61,
    "rules": 77,
    "style": 76
  },
  "dropped": [
    "changelog"
  ],
  "droppedChars": {
    "changelog": 79
  }
}
`

func TestOutput(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
