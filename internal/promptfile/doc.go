// Package promptfile reads prompt files: what a person writes about a prompt, in YAML or in JSON, becomes the sections
// and the configuration that package composer takes.
//
// [Read] turns the bytes of a prompt file into one [Document] for each prompt in it; texts that stand in files of their
// own come through [Options.Open]. One table of keys decides what a prompt file may hold: the reader, the command line's
// overrides ([Setting]) and the JSON [Schema] are all made from it.
//
// [ReadRegistry] does the same for registry files, whose sections, variables and tools go into a fragments.Registry by
// scope, and [ReadRequest] for request files. They are written in the same two notations and share what keys they can.
// [ReadDescription] reads a file whose keys belong to another package. What is read knows its lines: its Locate turns an
// error of the package that it was handed to into one with a place.
//
// # What a prompt file is
//
// A source whose first character is { is JSON and holds one prompt; every other is YAML and may hold several. Both have
// one schema. Numbers are decimal integers and are taken from their text, as the fraction is; nothing passes through
// floating point, and 5.0 is no integer. A wrong type is an error and never converted: "2000" in quotes is no number, and
// 2024 without quotes is no id. A mistake is an [Error] with the line, what is wrong and what would be right.
//
// Texts are used as YAML and JSON define them and never trimmed: what follows | ends with a line end, what follows |-
// does not. YAML itself makes a line end inside a scalar a line feed, also where the file has CRLF; to put a carriage
// return into a text, write "\r" in double quotes or keep the text in a file. JSON strings and text files stay as they
// are, byte for byte. A byte order mark at the start of a prompt file is skipped; in a text file it is part of the text.
//
// # The YAML it reads
//
// YAML 1.2 as go.yaml.in/yaml/v4 parses it, without what a prompt file does not need: anchors, aliases, merge keys,
// tags, directives and keys that are no scalars are refused with a message that says so. So no file can grow beyond its
// size, and what is read does not depend on a schema: whether a scalar is a number is decided here, from its text.
//
// Two things go before the parser. U+0085, U+2028 and U+2029 are refused outside escapes, because it takes them for line
// ends, as YAML 1.1 did; and a source that may hold more values than fit in memory is refused before it is parsed. Two
// habits of the parser remain: it wants "\U0001F600" and no pair of surrogates, and it ends a last line that holds only
// blanks with a line feed.
//
// What the package does not promise: that every YAML file is a prompt file, or anything about a file that changes while
// it is read.
package promptfile
