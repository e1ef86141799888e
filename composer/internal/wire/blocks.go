package wire

import (
	"fmt"
	"slices"

	"github.com/quirehq/quire/composer/messages"
)

// PlainText reports whether the block is a text and nothing else, so that a bare string can stand for it.
func PlainText(b *messages.Block) bool {
	return b.Kind == messages.KindText && len(b.Extra) == 0 && b.Cache == ""
}

// PlainThinking reports whether the block is a thought and nothing else.
func PlainThinking(b *messages.Block) bool {
	return b.Kind == messages.KindThinking && len(b.Extra) == 0 && b.Cache == ""
}

// Failed reports whether a result is an error.
func Failed(b *messages.Block) bool { return b.Error != "" && b.Error != "null" && b.Error != "false" }

// ResultText returns a result that is no list of blocks as a text; where it is nothing but an error, that.
func ResultText(b *messages.Block) string {
	switch {
	case b.Value != "":
		return Plain(b.Value)
	case b.Text == "" && len(b.Content) == 0 && Failed(b):
		return Plain(b.Error)
	}
	return b.Text
}

// CanonicalMessage returns the message with all its JSON in canonical form and its extra members sorted.
func CanonicalMessage(m messages.Message) (messages.Message, error) {
	var err error
	if m.Extra, err = CanonicalMembers(m.Extra); err != nil {
		return m, err
	}
	if m.Metadata, err = Canonical(m.Metadata); err != nil {
		return m, fmt.Errorf("metadata: %w", err)
	}
	m.Content, err = canonicalBlocks(m.Content)
	return m, err
}

func canonicalBlocks(blocks []messages.Block) ([]messages.Block, error) {
	if blocks == nil {
		return nil, nil
	}
	blocks = slices.Clone(blocks)
	for i := range blocks {
		b := &blocks[i]
		var err error
		for _, v := range []*messages.JSON{&b.Value, &b.Error, &b.Cache} {
			if *v, err = Canonical(*v); err != nil {
				return nil, fmt.Errorf("block %d: %w", i+1, err)
			}
		}
		if b.Extra, err = CanonicalMembers(b.Extra); err == nil {
			b.Content, err = canonicalBlocks(b.Content)
		}
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", i+1, err)
		}
	}
	return blocks, nil
}

// CanonicalTools returns the tools with their definitions in canonical form, in the same order.
func CanonicalTools(tools []messages.ToolSpec) ([]messages.ToolSpec, error) {
	tools = slices.Clone(tools)
	for i := range tools {
		var err error
		if tools[i].Definition, err = Canonical(tools[i].Definition); err != nil {
			return nil, fmt.Errorf("tool %d: %w", i+1, err)
		}
	}
	return tools, nil
}

// ReadTools reads a list of definitions in any of the forms in use.
func ReadTools(r *Reader) ([]messages.ToolSpec, error) {
	tools := []messages.ToolSpec{}
	err := r.Each("a list of tools", func(_ int, v Member) error {
		tool, err := ReadTool(v)
		tools = append(tools, tool)
		return err
	})
	return tools, err
}

// ReadTool reads the definition of a tool in any of the forms in use: with name and description at the top, or under
// "function". A tool without a name has its type for one, as the provider's own tools do.
func ReadTool(m Member) (messages.ToolSpec, error) {
	spec := messages.ToolSpec{Definition: m.JSON()}
	if m.Kind() != '{' {
		return spec, m.Errorf("a tool: want an object; found %s", m.Kind())
	}
	members, err := m.Read().Members("a tool, an object")
	if err != nil {
		return spec, err
	}
	kind := ""
	for _, member := range members {
		text, isText := member.Text()
		switch {
		case member.Name == "type" && isText:
			kind = text
		case member.Name == "name" && isText:
			spec.Name = text
		case member.Name == "description" && isText:
			spec.Description = text
		case member.Name == "function" && member.Kind() == '{':
			inner, err := member.Read().Members("a function, an object")
			if err != nil {
				return spec, err
			}
			for _, member := range inner {
				switch text, isText := member.Text(); {
				case member.Name == "name" && isText:
					spec.Name = text
				case member.Name == "description" && isText:
					spec.Description = text
				}
			}
		}
	}
	if spec.Name == "" {
		spec.Name = kind
	}
	return spec, nil
}
