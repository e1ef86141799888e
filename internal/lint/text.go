package lint

import (
	"bytes"
	"iter"
	"regexp"
	"strings"
)

// A pattern is text that must not be committed. Its expression is written so
// that it does not match its own source line.
type pattern struct {
	what string
	re   *regexp.Regexp
}

func patterns() []pattern {
	p := func(what, re string) pattern { return pattern{what, regexp.MustCompile(re)} }
	return []pattern{
		p("path of someone's machine", `(^|[^A-Za-z0-9_.~/-])/(?:home|Users)/[A-Za-z]`),
		p("path of someone's machine", `(^|[^A-Za-z0-9_.~/-])/(?:root|work)/`),
		p("path of someone's machine", `\b[A-Z]:\\Users\\[A-Za-z]`),

		p("host of a package registry", `\b(?:proxy|sum)\.golang\.org\b`),
		p("host of a package registry", `\b(?:deb|security|snapshot)\.debian\.org\b`),
		p("host of a package registry", `\b(?:registry\.npmjs\.(?:org|com)|registry\.yarnpkg\.com)\b`),
		p("host of a package registry", `\b(?:pypi|files\.pythonhosted)\.org\b`),
		p("host of a package registry", `\b(?:index|static)\.crates\.io\b`),

		p("secret: AWS access key", `\bA(?:KIA|SIA)[0-9A-Z]{16}\b`),
		p("secret: GitHub token", `\bgh[pousr]_[A-Za-z0-9]{36}`),
		p("secret: GitHub token", `\bgithub_pat_[A-Za-z0-9_]{22}`),
		p("secret: GitLab token", `\bglpat-[A-Za-z0-9_-]{20}`),
		p("secret: provider key", `\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24}`),
		p("secret: Slack token", `\bxox[abprs]-[0-9A-Za-z-]{10}`),
		p("secret: Google key", `\bAIza[0-9A-Za-z_-]{35}`),
		p("secret: JSON web token", `\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.`),
		p("secret: private key", `-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----`),
	}
}

// sample reports whether a line says that what it shows is made up.
func sample(line []byte) bool { return bytes.Contains(line, []byte("lint:"+"sample")) }

func checkPrivate(t *Tree) []Finding {
	pats := patterns()
	var out []Finding
	for _, x := range t.Texts {
		for line, text := range lines(x.Bytes) {
			for _, p := range pats {
				if p.re.Match(text) && !sample(text) {
					out = append(out, Finding{x.Name, line, p.what + " (a line that shows a made-up one says lint:" + "sample)"})
				}
			}
		}
	}
	return out
}

func checkArchitecture(t *Tree) []Finding {
	const name = "ARCHITECTURE.md"
	var text []byte
	for _, x := range t.Texts {
		if x.Name == name {
			text = x.Bytes
		}
	}
	if text == nil {
		return []Finding{{File: name, Message: "there is none"}}
	}
	var out []Finding
	for p := range t.shipped {
		if within(p.Path, "examples") || within(p.Path, "scripts") {
			continue
		}
		// A path is named where it does not run on into a longer one.
		re := regexp.MustCompile(`(^|[^\w/])` + regexp.QuoteMeta(strings.TrimPrefix(p.Path, "./")) + `($|[^\w/])`)
		if !re.Match(text) {
			out = append(out, Finding{File: name, Message: "does not name the package " + p.Path})
		}
	}
	return out
}

// lines yields the lines of a text with their numbers from 1.
func lines(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		n := 0
		for line := range bytes.Lines(text) {
			n++
			if !yield(n, line) {
				return
			}
		}
	}
}
