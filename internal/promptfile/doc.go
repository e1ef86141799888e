// Package promptfile reads prompt files: what a person writes about a prompt, in YAML or in JSON, becomes the sections
// and the configuration that package composer takes.
//
// [Read] is the whole of it. It turns the bytes of a prompt file into one [Document] for each prompt in it; texts that
// stand in files of their own come through [Options.Open]. One table of keys decides what a prompt file may hold:
// the reader, the command line's overrides ([Setting]) and the JSON [Schema] are all made from it.
//
// [ReadRegistry] does the same for registry files, whose sections, variables and tools go into a fragments.Registry by
// scope. They are written in the same two notations and share the keys of sections and of the configuration.
//
// # What a prompt file is
//
// A source whose first character is { is JSON and holds one prompt; every other is YAML and may hold several. Both have
// one schema. Numbers are decimal integers and are taken from their text, as the
// fraction is; nothing passes through floating point. A wrong type is an error and never converted: "2000" in quotes
// is no number, and 2024 without quotes is no id. A mistake is an [Error] with the line, what is wrong and what would
// be right.
//
// Texts are used as YAML and JSON define them and never trimmed: what follows | ends with a line end, what follows |-
// does not. YAML itself makes a line end inside a scalar a line feed, also where the file has CRLF; to put a carriage
// return into a text, write "\r" in double quotes or keep the text in a file. JSON strings and text files stay as they
// are, byte for byte. A byte order mark at the start of a prompt file is skipped; in a text file it is part of the text.
//
// # The YAML it reads
//
// Block and flow collections, all five kinds of scalars, comments and several documents, as YAML 1.2 defines them.
// Anchors, aliases, merge keys, tags, directives and keys that are not simple scalars are refused with a message that
// says so: a prompt file needs none, and without them its size bounds what it can grow to.
//
// The reader is our own because the text of a prompt has to be exact. Of the parsers that keep positions,
// github.com/goccy/go-yaml v1.19.2 drops a tab inside a plain scalar, doubles line ends in quoted scalars of files with
// CRLF, turns "\udc00" and "\xZZ" into other characters without an error, and takes time quadratic in the number of
// keys. It is the oracle of a test here, for the inputs that it reads right.
//
// What the package does not promise: that every YAML file is a prompt file, or anything about a file that changes while
// it is read.
package promptfile
