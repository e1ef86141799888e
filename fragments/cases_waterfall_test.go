package fragments_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/quirehq/quire/fragments"
	"github.com/quirehq/quire/fragments/template"
)

// registerWaterfall turns listeners, each around the next, into transforms: what one does before it calls the next in
// order, what it does after in reverse.
func (in *assembleCase) registerWaterfall(t *testing.T, r *fragments.Registry) error {
	scopes := in.scopes()
	for i, listener := range in.Waterfall {
		for _, half := range []struct {
			order int
			edits []object
		}{{i, listener.Pre}, {2*len(in.Waterfall) - i, listener.Post}} {
			_, err := r.Transform(scopes[listener.Scope], half.order, fmt.Sprint("listener ", half.order), func(_ fragments.AssembleContext, a *fragments.Assembly) error {
				for _, edit := range half.edits {
					if err := applyEdit(t, edit, a); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// applyEdit does what an edit's name says: a verb and what it is done to; "at" is the place of what is added.
func applyEdit(t *testing.T, edit object, a *fragments.Assembly) error {
	at := -1
	if src, given := edit["at"]; given {
		read(t, src, &at)
	}
	edit = maps.Clone(edit)
	delete(edit, "at")
	if len(edit) != 1 {
		t.Fatalf("an edit with %d verbs; want one", len(edit))
	}
	for key, src := range edit {
		end := strings.IndexFunc(key, unicode.IsUpper)
		if end < 0 {
			end = len(key)
		}
		switch verb, noun := key[:end], key[end:]; {
		case verb == "throw" || verb == "fail":
			return errThrown
		case strings.HasPrefix(noun, "Var"):
			editVariable(t, verb, src, a)
		case strings.HasPrefix(noun, "Tool"), strings.HasSuffix(noun, "Description"), strings.HasSuffix(noun, "Schema"), strings.HasSuffix(noun, "Parameters"):
			return editTool(t, verb, noun, src, at, a)
		case strings.HasPrefix(noun, "Section"), noun == "Text":
			editSection(t, verb, src, at, a)
		default:
			t.Fatalf("unknown edit %s", key)
		}
	}
	return nil
}

func editVariable(t *testing.T, verb string, src json.RawMessage, a *fragments.Assembly) {
	var name string
	var pair [2]*string
	switch verb {
	case "set", "add":
		read(t, src, &pair)
		if pair[1] == nil {
			a.Variables[*pair[0]] = template.Value{Missing: true}
		} else {
			a.Variables[*pair[0]] = template.Value{Text: *pair[1]}
		}
	case "drop", "remove", "delete":
		read(t, src, &name)
		delete(a.Variables, name)
	default:
		t.Fatalf("unknown edit %s of a variable", verb)
	}
}

func editSection(t *testing.T, verb string, src json.RawMessage, at int, a *fragments.Assembly) {
	var section caseSection
	if err := json.Unmarshal(src, &section.Name); err != nil && verb != "reverse" {
		readAll(t, src, &section)
	}
	if section.Order != nil || section.OwnerFinal {
		t.Fatalf("an assembled section has a name and a text, not %s", src)
	}
	is := func(s fragments.AssembledSection) bool { return s.Name == section.Name }
	if at < 0 {
		at = len(a.Sections)
	}
	switch verb {
	case "drop", "remove", "delete":
		a.Sections = slices.DeleteFunc(a.Sections, is)
	case "add", "insert":
		a.Sections = slices.Insert(a.Sections, at, fragments.AssembledSection{Name: section.Name, Text: section.Text})
	case "set":
		for i := range a.Sections {
			if is(a.Sections[i]) {
				a.Sections[i].Text = section.Text
			}
		}
	case "move":
		if i := slices.IndexFunc(a.Sections, is); i >= 0 {
			s := a.Sections[i]
			a.Sections = slices.Delete(a.Sections, i, i+1)
			a.Sections = slices.Insert(a.Sections, min(at, len(a.Sections)), s)
		}
	case "reverse":
		slices.Reverse(a.Sections)
	default:
		t.Fatalf("unknown edit %s of a section", verb)
	}
}

func editTool(t *testing.T, verb, noun string, src json.RawMessage, at int, a *fragments.Assembly) error {
	var tool caseTool
	if verb != "reverse" {
		readAll(t, src, &tool)
	}
	made, err := tool.tool()
	if err != nil {
		return err
	}
	is := func(t fragments.Tool) bool { return t.Name == tool.Name }
	if at < 0 {
		at = len(a.Tools)
	}
	switch verb {
	case "drop", "remove", "delete":
		a.Tools = slices.DeleteFunc(a.Tools, is)
	case "add", "insert":
		a.Tools = slices.Insert(a.Tools, at, made)
	case "set":
		for i := range a.Tools {
			switch {
			case !is(a.Tools[i]):
			case strings.HasSuffix(noun, "Description"):
				a.Tools[i].Description = made.Description
			case strings.HasSuffix(noun, "Schema"), strings.HasSuffix(noun, "Parameters"):
				a.Tools[i].Schema = made.Schema
			default:
				a.Tools[i] = made
			}
		}
	case "reverse":
		slices.Reverse(a.Tools)
	default:
		t.Fatalf("unknown edit %s of a tool", verb)
	}
	return nil
}
