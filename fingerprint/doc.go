// Package fingerprint decides what things are called: which 32 bytes name a text,
// a recipe or a cache entry, and which bytes of a JSON document are the ones that count.
//
// There are two kinds of name, and they do not mix. A [Digest] names bytes: it is plain, unkeyed
// BLAKE3 of exactly those bytes, so that b3sum on the same bytes prints the same 64 hex digits and
// anyone can check it without this package. A [Key] names what decided some bytes: a recipe, a
// request, a cache entry. A build system keeps an output apart from the action that made it in the
// same way; the same key with another digest is nondeterminism, and worth a type error to mix up.
//
//	name     of                          made by
//	Digest   some bytes                  Sum, SumString, Hasher
//	Key      a list of parts             Frame: BLAKE3 of every part after its length
//	Key      a caller's cache entry      CacheKey: the same, in BLAKE3's derive-key mode, per namespace
//
// JSON has many spellings for one value, so JSON is hashed in the one form that RFC 8785 gives it:
// [Canonical] makes that form, and refuses every document that has none or whose form would hide a
// difference (duplicate keys, lone surrogates, invalid UTF-8, integers that a double cannot hold).
//
// Everything here is a pure function of its arguments, the same on every platform.
//
// What it does not promise: a Digest is no proof of who wrote the bytes (nothing here is keyed), and
// two documents that mean the same to a program but differ as JSON values keep different names.
package fingerprint
