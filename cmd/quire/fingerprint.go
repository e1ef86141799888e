package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/fingerprint"
)

func fingerprintCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fingerprint [FILE…]",
		Short: "Print the digests of files, as b3sum does",
		Long: `Print the BLAKE3 digest of each file, or of standard input, in the format of b3sum: the digest, two spaces, the name.
A name with a backslash or a line end has it escaped, and the line begins with a backslash.

With --json, each input is a JSON document and its canonical form (RFC 8785) is hashed: spelling and order of members
do not matter. What has no canonical form, such as a key that stands twice, is refused.`,
		Example: `  quire fingerprint rules.md
  quire compile agent.yaml | quire fingerprint
  quire fingerprint --json tools.json`,
	}
	asJSON := cmd.Flags().Bool("json", false, "hash the canonical form of JSON documents")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			args = []string{"-"}
		}
		digest := digestOf
		if *asJSON {
			digest = canonicalDigestOf
		}
		var lines strings.Builder
		for _, file := range args {
			d, err := digest(s, file)
			if err != nil {
				return err
			}
			lines.WriteString(digestLine(d, file))
		}
		_, err := io.WriteString(s.out, lines.String())
		return err
	}
	return cmd
}

// digestLine writes a digest and a name as b3sum does.
func digestLine(d fingerprint.Digest, name string) string {
	escaped := strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(name)
	if escaped != name {
		return `\` + d.String() + "  " + escaped + "\n"
	}
	return d.String() + "  " + name + "\n"
}

// digestOf hashes a file without holding it.
func digestOf(s *streams, file string) (fingerprint.Digest, error) {
	in, err := s.open(file, unbounded)
	if err != nil {
		return fingerprint.Digest{}, err
	}
	defer in.Close()
	var hash fingerprint.Hasher
	if _, err := io.CopyBuffer(&hash, in, make([]byte, 256<<10)); err != nil {
		return fingerprint.Digest{}, err
	}
	return hash.Digest(), nil
}

// canonicalDigestOf hashes the canonical form of a JSON file.
func canonicalDigestOf(s *streams, file string) (fingerprint.Digest, error) {
	src, name, err := readInput(s, file)
	if err != nil {
		return fingerprint.Digest{}, err
	}
	canonical, err := fingerprint.Canonical(src)
	var at *fingerprint.JSONError
	if errors.As(err, &at) {
		return fingerprint.Digest{}, fmt.Errorf("%s:%d: %w at byte %d; want JSON that has a canonical form", name, at.Line, at.Err, at.Offset)
	}
	return fingerprint.Sum(canonical), err
}
