package vectors

import "fmt"

// A File is a file of vectors: its name under testdata, and their inputs.
type File struct {
	Name   string
	Inputs []Vector
}

// Files returns the files that "go generate" writes.
func Files() []File {
	return []File{{"edges.jsonl", Edges()}, {"drawn.jsonl", Drawn()}}
}

// Encode returns the text of the file: a line for every input, with what this build decides about it.
func (f File) Encode() ([]byte, error) {
	var text []byte
	for _, input := range f.Inputs {
		v, err := input.Decide()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		line, err := v.Line()
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", f.Name, v.Name, err)
		}
		text = append(text, line...)
	}
	return text, nil
}
