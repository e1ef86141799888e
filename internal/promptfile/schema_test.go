package promptfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/quirehq/quire/composer"
)

// valid reports why a node does not satisfy a schema, or "". It knows the keywords that the schema uses and fails on
// any other.
func valid(t *testing.T, root, schema map[string]any, n *node) string {
	t.Helper()
	for keyword, want := range schema {
		switch keyword {
		case "$schema", "$defs", "title", "description", "additionalProperties":
		case "$ref":
			def := root["$defs"].(map[string]any)[strings.TrimPrefix(want.(string), "#/$defs/")].(map[string]any)
			if why := valid(t, root, def, n); why != "" {
				return why
			}
		case "type":
			types, ok := want.([]any)
			if !ok {
				types = []any{want}
			}
			if !slices.ContainsFunc(types, func(typ any) bool { return hasType(t, n, typ.(string)) }) {
				return fmt.Sprintf("%v is not of type %v", n, types)
			}
		case "enum":
			if n.kind > text || !slices.Contains(want.([]any), any(n.text)) {
				return fmt.Sprintf("%v is none of %v", n, want)
			}
		case "minimum", "maximum":
			if n.isNumber() {
				limit, _ := new(big.Rat).SetString(want.(json.Number).String())
				value, ok := new(big.Rat).SetString(n.text)
				if !ok || keyword == "minimum" && value.Cmp(limit) < 0 || keyword == "maximum" && value.Cmp(limit) > 0 {
					return fmt.Sprintf("%v: %s %v", n, keyword, limit)
				}
			}
		case "minLength":
			if hasType(t, n, "string") && n.text == "" {
				return "an empty text"
			}
		case "minItems":
			if n.kind == sequence && len(n.items) == 0 {
				return "an empty list"
			}
		case "items":
			for i := range n.items {
				if n.kind != sequence {
					break
				}
				if why := valid(t, root, want.(map[string]any), &n.items[i]); why != "" {
					return why
				}
			}
		case "properties":
			for i := range n.keys {
				property, ok := want.(map[string]any)[n.keys[i].text]
				if !ok {
					if schema["additionalProperties"] == false {
						return "unknown key " + n.keys[i].text
					}
					continue
				}
				if why := valid(t, root, property.(map[string]any), &n.items[i]); why != "" {
					return why
				}
			}
		case "required":
			for _, key := range want.([]any) {
				if n.kind == mapping && !slices.ContainsFunc(n.keys, func(k scalar) bool { return k.text == key }) {
					return fmt.Sprintf("no %v", key)
				}
			}
		case "anyOf", "oneOf":
			matches := 0
			for _, alternative := range want.([]any) {
				if valid(t, root, alternative.(map[string]any), n) == "" {
					matches++
				}
			}
			if matches == 0 || keyword == "oneOf" && matches > 1 {
				return fmt.Sprintf("%v matches %d of %s", n, matches, keyword)
			}
		default:
			t.Fatalf("keyword %q", keyword)
		}
	}
	return ""
}

func hasType(t *testing.T, n *node, typ string) bool {
	switch typ {
	case "object":
		return n.kind == mapping
	case "array":
		return n.kind == sequence
	case "null":
		return n.isNull()
	case "boolean":
		return n.isBool()
	case "integer":
		return n.isNumber() && isDecimal(n.text)
	case "number":
		return n.isNumber()
	case "string":
		return n.kind == text || n.kind == plain && !n.isNull() && !n.isBool() && !n.isNumber()
	}
	t.Fatalf("type %q", typ)
	return false
}

func parseSchema(t *testing.T) map[string]any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(Schema())))
	dec.UseNumber()
	var schema map[string]any
	if err := dec.Decode(&schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestExamplesSatisfySchema(t *testing.T) {
	schema := parseSchema(t)
	names, err := filepath.Glob("../../examples/*.yaml")
	names = slices.DeleteFunc(names, func(name string) bool {
		return filepath.Base(name) == "registry.yaml" || filepath.Base(name) == "request.yaml"
	})
	if err != nil || len(names) < 5 {
		t.Fatalf("examples: %v, %v", names, err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := newSource(src, name, form{}, 0)
		documents, err := s.documents(false)
		if err != nil {
			t.Fatal(err)
		}
		for i := range documents {
			if why := valid(t, schema, schema, &documents[i]); why != "" {
				t.Errorf("%s: document %d: %s", name, i+1, why)
			}
		}
	}
}

// The reader and the schema give the same verdict on every value of every key.
func TestSchemaAgreesWithReader(t *testing.T) {
	schema := parseSchema(t)
	values := []string{"0", "7", "-1", "1.5", "0.95", "1e3", "0x10", "9223372036854775807", "9223372036854775808", "2147483648", "-2147483649",
		`""`, `"x"`, `"7"`, "x", "true", "null", "[]", "[1]", "[-1]", "[x, y]", "[[]]", "{}", "{by-depth: [1, 2]}", "{by-depth: []}", "{by-depth: [x]}",
		"{x: 1}", "core", "active", "Core", "reserved", "prefix-stable", "utf16", "chars/4", "cl100k_base", "none", "line", "[{id: a, text: x}]", "[{id: a}]", "[{text: x}]", "[{id: a, text: x, file: y}]"}
	try := func(key, src string) bool {
		s := newSource([]byte(src), "p", form{}, 0)
		documents, err := s.documents(false)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		why := valid(t, schema, schema, &documents[0])
		_, err = Read([]byte(src), "p", Options{Open: fstest.MapFS{"x": {}, "y": {}, "7": {}, "core": {}}.Open})
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // whether a file is there is not for a schema
		}
		if (why == "") != (err == nil) {
			t.Errorf("%s: schema: %q, reader: %v", src, why, err)
		}
		return err == nil
	}
	check := func(key, before, after string) {
		right := 0
		for _, value := range values {
			if try(key, before+value+after) {
				right++
			}
		}
		if right == 0 || right == len(values) {
			t.Errorf("%s: %d of %d values are right: the values decide nothing", key, right, len(values))
		}
	}
	for _, f := range promptFields() {
		if f.key == "sections" {
			check(f.key, "sections: ", "\n")
		} else {
			check(f.key, f.key+": ", "\nsections: []\n")
		}
	}
	for _, f := range sectionFields() {
		rest := ", id: a, text: x}\n"
		switch f.key {
		case "id":
			rest = ", text: x}\n"
		case "text", "file":
			rest = ", id: a}\n"
		}
		check(f.key, "sections:\n- {"+f.key+": ", rest)
	}
	try("", "sections: []\nother: 1\n")
	try("", "budget: 1\n")
}

// Every field of a section and of a configuration can be written in a prompt file, under its own name in kebab case or
// under one of these.
func TestKeysCoverFields(t *testing.T) {
	other := map[string]string{"Content": "text", "Cost": "size", "Resolver": "budget"}
	for _, tt := range []struct {
		typ  reflect.Type
		keys []string
	}{
		{reflect.TypeFor[composer.Section](), keysOf(sectionFields())},
		{reflect.TypeFor[composer.Config](), keysOf(promptFields())},
	} {
		for i := range tt.typ.NumField() {
			name := tt.typ.Field(i).Name
			key := other[name]
			if key == "" {
				var b strings.Builder
				for i, r := range name {
					if i > 0 && 'A' <= r && r <= 'Z' && name != "ID" {
						b.WriteByte('-')
					}
					b.WriteRune(r)
				}
				key = strings.ToLower(b.String())
			}
			if !slices.Contains(tt.keys, key) {
				t.Errorf("%v.%s: no key %q among %q", tt.typ, name, key, tt.keys)
			}
		}
	}
}

func keysOf[T any](fields []field[T]) []string {
	var keys []string
	for _, f := range fields {
		keys = append(keys, f.key)
	}
	return keys
}
