package bench

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/quirehq/quire/composer"
	"github.com/quirehq/quire/composer/measure"
	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/fragments/template"
	"github.com/quirehq/quire/tiers"
)

// Stages returns the jobs that are one step of a compilation: measuring a text, deciding, hashing, filling a template,
// the canonical form of JSON, the digests of all prefixes, writing a recipe and compiling it again. The floors: a copy of
// the text, a sum over the items, the hash of the same bytes.
func Stages() []Job {
	var jobs []Job
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20, 100 << 20} {
		jobs = append(jobs, measuring("measure-utf16", "The quick brown fox jumps over. ", size))
	}
	jobs = append(jobs, measuring("measure-utf16-cjk", "日本語の文章です。", 1<<20))
	for count := 10; count <= 1_000_000; count *= 10 {
		jobs = append(jobs, admitting(count))
	}
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20, 100 << 20} {
		jobs = append(jobs, hashing(size))
	}
	for count := 10; count <= 100_000; count *= 10 {
		jobs = append(jobs, filling(count))
	}
	for count := 10; count <= 100_000; count *= 10 {
		jobs = append(jobs, canonical(count))
	}
	for count := 10; count <= 100_000; count *= 10 {
		jobs = append(jobs, composed("prefixes", count, func(c composer.Composition) { c.Prefixes() }))
	}
	for count := 10; count <= 100_000; count *= 10 {
		jobs = append(jobs, composed("recipe", count, func(c composer.Composition) { c.Recipe().AppendJSON(nil) }))
	}
	for count := 10; count <= 100_000; count *= 10 {
		jobs = append(jobs, recompiling(count))
	}
	return jobs
}

func measuring(name, unit string, size int) Job {
	return Job{Name: name, Size: "text=" + bytesName(size), Count: size, Bytes: int64(size), Prepare: func() (run, floor func()) {
		text := strings.Repeat(unit, size/len(unit))
		return func() { measure.UTF16().CountValid(text) }, func() { _ = strings.Clone(text) }
	}}
}

// admitting decides about items of all tiers under a budget of half of them, the priorities not in order.
func admitting(count int) Job {
	return Job{Name: "admit", Size: fmt.Sprintf("items=%d", count), Count: count, Prepare: func() (run, floor func()) {
		items := make([]tiers.Item, count)
		var sum int64
		for i := range items {
			size := int64(100 + i*37%41)
			items[i] = tiers.Item{Tier: tiers.Tier(min(i%10, 2)), Cost: tiers.Charged(size, size), Priority: i * 7919 % 1000}
			sum += size
		}
		rules := tiers.Rules{Gate: tiers.Reserved, Budget: tiers.Limit(sum / 2), Separator: tiers.Charged(2, 2)}
		run = func() {
			_, err := tiers.Admit(items, rules)
			check(err)
		}
		return run, func() {
			verdicts := make([]tiers.Verdict, count)
			left := sum / 2
			for i := range items {
				if left -= items[i].Cost.Size(); left < 0 {
					verdicts[i].Reason = tiers.OverBudget
				}
			}
		}
	}}
}

func hashing(size int) Job {
	return Job{Name: "fingerprint", Size: "text=" + bytesName(size), Count: size, Bytes: int64(size), Prepare: func() (run, floor func()) {
		text := bytes.Repeat([]byte("The quick brown fox jumps over. "), size/32)
		return func() { fingerprint.Sum(text) }, func() { _ = bytes.Clone(text) }
	}}
}

// filling renders a template with a reference every hundred bytes.
func filling(count int) Job {
	const size = 100
	return Job{Name: "template", Size: fmt.Sprintf("references=%d", count), Count: count, Bytes: int64(count * size), Prepare: func() (run, floor func()) {
		const value = "a value of ten more bytes "
		text := strings.Repeat("{{name}}"+strings.Repeat("x", size-len(value)), count)
		vars := map[string]template.Value{"name": {Text: value}}
		t := template.Parse(text)
		filled, err := t.Append(nil, vars)
		check(err)
		run = func() {
			_, err := t.Append(make([]byte, 0, len(filled)), vars)
			check(err)
		}
		return run, func() { _ = bytes.Clone(filled) }
	}}
}

// canonical makes the canonical form of a list of objects whose keys are not in order.
func canonical(count int) Job {
	const object = `{"type": "text", "text": "The quick brown fox\njumps over the lazy dog", "id": 12345, "cache": null}`
	return Job{Name: "canonical-json", Size: fmt.Sprintf("objects=%d", count), Count: count, Bytes: int64(count * len(object)), Prepare: func() (run, floor func()) {
		src := []byte("[" + strings.TrimSuffix(strings.Repeat(object+",", count), ",") + "]")
		form, err := fingerprint.Canonical(src)
		check(err)
		run = func() {
			_, err := fingerprint.Canonical(src)
			check(err)
		}
		return run, func() { fingerprint.Sum(bytes.Clone(form)) }
	}}
}

const stageSection = 1 << 10

// composed does something with a composition of sections of 1 KiB, which is not part of the job.
func composed(name string, count int, do func(composer.Composition)) Job {
	return Job{Name: name, Size: fmt.Sprintf("sections=%d/size=%s", count, bytesName(stageSection)), Count: count,
		Bytes: int64(count)*(stageSection+2) - 2, Prepare: func() (run, floor func()) {
			sections := Sections("The quick brown fox jumps over. ", count, stageSection)
			c, err := composer.Compose(sections, composer.Config{})
			check(err)
			return func() { do(c) }, func() { joinAndHash(sections) }
		}}
}

// recompiling makes a composition and its fingerprint of a recipe and the contents that it names.
func recompiling(count int) Job {
	return Job{Name: "recompile", Size: fmt.Sprintf("sections=%d/size=%s", count, bytesName(stageSection)), Count: count,
		Bytes: int64(count)*(stageSection+2) - 2, Prepare: func() (run, floor func()) {
			sections := Sections("The quick brown fox jumps over. ", count, stageSection)
			c, err := composer.Compose(sections, composer.Config{})
			check(err)
			recipe := c.Recipe().AppendJSON(nil)
			contents := make(map[fingerprint.Digest]string, count)
			for _, s := range sections {
				contents[fingerprint.SumString(s.Content)] = s.Content
			}
			load := func(d fingerprint.Digest) (string, error) { return contents[d], nil }
			run = func() {
				r, err := composer.ParseRecipe(recipe)
				check(err)
				c, err := r.Compose(load)
				check(err)
				c.Fingerprint()
			}
			return run, func() { joinAndHash(sections) }
		}}
}
