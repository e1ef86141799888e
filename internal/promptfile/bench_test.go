package promptfile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/promptfile"
)

func BenchmarkRead(b *testing.B) {
	line := "A line of a section, as long as lines in prompts are.\n"
	for _, bm := range []struct{ sections, lines int }{{10, 20}, {100, 20}, {10000, 2}} {
		var block, flow strings.Builder
		block.WriteString("budget: 2000\nsections:\n")
		flow.WriteString(`{"budget": 2000, "sections": [`)
		for i := range bm.sections {
			fmt.Fprintf(&block, "  - id: s%d\n    tier: active\n    text: |\n%s", i, strings.Repeat("      "+line, bm.lines))
			fmt.Fprintf(&flow, `%s{"id": "s%d", "tier": "active", "text": %q}`, strings.Repeat(",", min(i, 1)), i, strings.Repeat(line, bm.lines))
		}
		flow.WriteString("]}")
		for notation, src := range map[string]string{"yaml": block.String(), "json": flow.String()} {
			b.Run(fmt.Sprintf("%s/sections=%d/lines=%d", notation, bm.sections, bm.lines), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(src)))
				for b.Loop() {
					if _, err := promptfile.Read([]byte(src), "p", promptfile.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
