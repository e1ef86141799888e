package messages_test

import (
	"testing"

	"github.com/quirehq/quire/composer/messages"
)

func TestComposeSystem(t *testing.T) {
	type layer = messages.Contribution
	for _, test := range []struct {
		name   string
		base   []string
		layers []layer
		want   string
	}{
		{"nothing", nil, nil, ""},
		{"the base alone", []string{"a", "", "b"}, nil, "a\n\nb"},
		{"by source, whatever the order", nil, []layer{{Source: messages.SourceRun, Text: "run"}, {Source: messages.SourceApp, Text: "app"},
			{Source: "other", Text: "other"}, {Source: messages.SourcePackage, Text: "package"}, {Source: messages.SourceUser, Text: "user"}},
			"user\n\npackage\n\nother\n\napp\n\nrun"},
		{"of one source as given", nil, []layer{{Source: "b", Text: "1"}, {Source: "a", Text: "2"}, {Source: "b", Text: "3"}}, "1\n\n2\n\n3"},
		{"append", []string{"base"}, []layer{{Mode: messages.Append, Text: "x"}}, "base\n\nx"},
		{"prepend", []string{"base"}, []layer{{Mode: messages.Prepend, Text: "x"}, {Mode: messages.Prepend, Text: "y"}}, "y\n\nx\n\nbase"},
		{"replace", []string{"base"}, []layer{{Text: "before"}, {Mode: messages.Replace, Text: "x"}, {Text: "behind"}}, "x\n\nbehind"},
		{"disable", []string{"base"}, []layer{{Text: "before"}, {Mode: messages.Disable, Text: "means nothing"}, {Text: "behind"}}, "behind"},
		{"an empty text does nothing", []string{"base"}, []layer{{Mode: messages.Replace}, {Mode: messages.Prepend}, {Mode: messages.Append}}, "base"},
	} {
		t.Run(test.name, func(t *testing.T) {
			compare(t, "system prompt", test.want, messages.ComposeSystem(test.base, test.layers))
		})
	}
}

func TestComposeSystemLeavesItsInputAlone(t *testing.T) {
	base := make([]string, 1, 8)
	base[0] = "base"
	layers := []messages.Contribution{{Source: messages.SourceRun, Text: "run"}, {Source: messages.SourceUser, Mode: messages.Prepend, Text: "user"}}
	messages.ComposeSystem(base, layers)
	compare(t, "base", []string{"base", ""}, base[:2])
	compare(t, "first layer", messages.SourceRun, layers[0].Source)
}
