// Package template fills the variables of a text.
//
// There are three languages, and they do not mix. The strict one is for prompts that a program is made of: a reference is
// {{name}}, and whatever looks like a reference and is none is an error. [Parse] reads it once, [Template.Append] fills
// it, [Render] does both. The loose one is for texts that people type: [RenderLoose] replaces what it knows and leaves
// every other brace alone. The third is for templates that hold JSON and must never fail: [ParseSlots] takes {name} for a
// slot where the name is one of a few, and everything else for text. [PrintJSON] makes the text of a value that is JSON.
//
// In all of them, values are exact bytes and are never scanned again: a value that contains {{name}} stays {{name}}.
//
// There is no logic in these languages, no escape and no nesting, and there will be none.
package template
