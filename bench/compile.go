package bench

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/internal/promptfile"
)

// Compiling returns the jobs that read a prompt file, as YAML and as JSON, compose its one prompt and hash it. Their floor
// copies the file, and hashes the text.
func Compiling() []Job {
	var jobs []Job
	for count := 10; count <= 10_000; count *= 10 {
		jobs = append(jobs, compiling("compile-yaml", "  - id: s%d\n    tier: active\n    text: %s\n", "sections:\n", "", count))
	}
	for count := 10; count <= 10_000; count *= 10 {
		jobs = append(jobs, compiling("compile-json", `{"id": "s%d", "tier": "active", "text": "%s"},`, `{"sections": [`, "]}", count))
	}
	return jobs
}

func compiling(name, section, begin, end string, count int) Job {
	const size = 256
	return Job{Name: name, Size: fmt.Sprintf("sections=%d/size=%s", count, bytesName(size)), Count: count, Bytes: int64(count * size),
		Prepare: func() (run, floor func()) {
			var b strings.Builder
			b.WriteString(begin)
			for i, s := range Sections("The quick brown fox jumps over. ", count, size) {
				fmt.Fprintf(&b, section, i, s.Content)
			}
			src := []byte(strings.TrimSuffix(b.String(), ",") + end)
			compile := func() composer.Composition {
				documents, err := promptfile.Read(src, name, promptfile.Options{})
				check(err)
				c, err := composer.Compose(documents[0].Sections, documents[0].Config)
				check(err)
				c.Fingerprint()
				return c
			}
			text := compile().Text()
			return func() { compile() }, func() {
				_ = bytes.Clone(src)
				fingerprint.SumString(text)
			}
		}}
}
