package bench

import (
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/tiers"
)

// Composing returns the jobs that decide about sections and fingerprint what they make, without a budget, so that every byte
// is hashed; compose-text makes the text as well. Their floor copies the contents into one fresh buffer of the right size and
// hashes it.
func Composing() []Job {
	const english = "The quick brown fox jumps over. "
	hash := func(c composer.Composition) { c.Fingerprint() }
	jobs := []Job{
		composing("compose", english, 100, 1<<10, hash),
		composing("compose-text", english, 100, 1<<10, func(c composer.Composition) { c.Text(); c.Fingerprint() }),
		composing("compose-cjk", "日本語の文章です。", 100, 1<<10, hash),
		composing("compose-latin", "Blåbærsyltetøy på brød, så øl. ", 100, 1<<10, hash),
		composing("compose-4KiB", english, 100, 4<<10, hash),
		composing("compose-100MiB", english, 100, 1<<20, hash),
	}
	for count := 10; count <= 1_000_000; count *= 10 {
		jobs = append(jobs, composing("compose-small", english, count, 128, hash))
	}
	return jobs
}

// Evicting returns the jobs that compose a history of sections in one chain, the newest first, under a budget that half of
// them fit. Their floor counts backwards until the budget is used up, copies what it met and hashes it.
func Evicting() []Job {
	var jobs []Job
	for count := 10; count <= 1_000_000; count *= 10 {
		jobs = append(jobs, evicting(count, 256))
	}
	return jobs
}

func evicting(count, size int) Job {
	return Job{
		Name:  "compose-evict",
		Size:  fmt.Sprintf("sections=%d/size=%s", count, bytesName(size)),
		Count: count,
		Bytes: int64(count) * int64(size),
		Prepare: func() (run, floor func()) {
			sections := Sections("The quick brown fox jumps over. ", count, size)
			for i := range sections {
				sections[i].Tier, sections[i].Priority, sections[i].Chain = tiers.Informational, i, "history"
			}
			budget := int64(count) * int64(size) / 2
			run = func() {
				c, err := composer.Compose(sections, composer.Config{Budget: tiers.Limit(budget)})
				check(err)
				c.Fingerprint()
			}
			return run, func() {
				first := len(sections)
				for left := budget; first > 0; first-- {
					left -= measure.UTF16().Count(sections[first-1].Content)
					if left < 0 {
						break
					}
				}
				joinAndHash(sections[first:])
			}
		},
	}
}

// composing returns the job that composes sections and uses the composition.
func composing(name, unit string, count, size int, use func(composer.Composition)) Job {
	return Job{
		Name:  name,
		Size:  fmt.Sprintf("sections=%d/size=%s", count, bytesName(size)),
		Count: count,
		Bytes: int64(count)*int64(size+2) - 2,
		Prepare: func() (run, floor func()) {
			sections := Sections(unit, count, size)
			run = func() {
				c, err := composer.Compose(sections, composer.Config{})
				check(err)
				use(c)
			}
			return run, func() { joinAndHash(sections) }
		},
	}
}

// Sections returns sections of distinct texts in three tiers, each of size bytes: unit over and over, and then the
// number of the section.
func Sections(unit string, count, size int) []composer.Section {
	sections := make([]composer.Section, count)
	for i := range sections {
		number := fmt.Sprint(" ", i)
		text := strings.Repeat(unit, (size-len(number))/len(unit)) + number
		sections[i] = composer.Section{
			ID:      fmt.Sprint("section-", i),
			Content: text + strings.Repeat(".", size-len(text)),
			Tier:    tiers.Tier(i % 3),
		}
	}
	return sections
}

func joinAndHash(sections []composer.Section) fingerprint.Digest {
	length := 0
	for i := range sections {
		length += len(sections[i].Content) + 2
	}
	text := make([]byte, 0, length)
	for i := range sections {
		if i > 0 {
			text = append(text, "\n\n"...)
		}
		text = append(text, sections[i].Content...)
	}
	return fingerprint.Sum(text)
}
