#!/bin/sh
# Writes blake3.txt: what b3sum, the reference implementation, prints. Run once: sh blake3.sh > blake3.txt
# One line a case: what is computed, the length n of the input, 64 hex digits. The input counts 0, 1, …, 250
# and starts again, as in the official test vectors.
#   hash       Sum(input)
#   frame      Frame(input, "ab")
#   cache_key  CacheKey("tenant", input, "ab")
set -eu
file=$(mktemp)
trap 'rm -f "$file"' EXIT
write() { # mode, n, parts: "-" stands for the input, and the mode "hash" frames nothing
	python3 -c '
import struct, sys
mode, n, parts = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
data = (bytes(range(251)) * (n // 251 + 1))[:n]
out = sys.stdout.buffer
for part in parts:
    part = data if part == "-" else part.encode()
    out.write((b"" if mode == "hash" else struct.pack("<Q", len(part))) + part)
' "$@" >"$file"
}
for n in 0 1 2 7 8 63 64 65 127 128 990 997 998 999 1000 1005 1006 1007 1015 1016 1017 1023 1024 1025 2047 2048 2049 \
	4096 4097 8175 8184 8191 8192 8193 16384 16385 31744 65536 65537 131073 1048577; do
	write hash "$n" -
	echo "hash $n $(b3sum --no-names "$file")"
	write frame "$n" - ab
	echo "frame $n $(b3sum --no-names "$file")"
	write frame "$n" tenant - ab
	echo "cache_key $n $(b3sum --no-names --derive-key 'quire cache key v1' "$file")"
done
