// Writes doubles.txt: what ECMAScript prints for doubles, one a line, as the 16 hex digits of the bits
// and the text. Run once, with any Node: node doubles.mjs > doubles.txt
// The doubles are the edges of the format, every power of two and ten with its neighbours, and bit
// patterns from a fixed xorshift generator.

const view = new DataView(new ArrayBuffer(8));
const bitsOf = (f) => { view.setFloat64(0, f); return view.getBigUint64(0); };
const floatOf = (bits) => { view.setBigUint64(0, BigInt.asUintN(64, bits)); return view.getFloat64(0); };

const seen = new Set();
function emit(bits) {
  bits = BigInt.asUintN(64, bits);
  const f = floatOf(bits);
  if (!Number.isFinite(f) || seen.has(bits)) return;
  seen.add(bits);
  console.log(bits.toString(16).padStart(16, "0") + " " + JSON.stringify(f));
}
function around(f, reach = 1) {
  const bits = bitsOf(f);
  for (let d = -reach; d <= reach; d++) if (bits + BigInt(d) >= 0n) emit(bits + BigInt(d));
  emit(bits | 1n << 63n);
}

for (const bits of [0n, 1n, 2n, 3n, 0x000fffffffffffffn, 0x0010000000000000n, 0x0010000000000001n,
  0x7fefffffffffffffn, 0x7feffffffffffffen]) { emit(bits); emit(bits | 1n << 63n); }
for (let e = -1074; e <= 1023; e += 3) around(2 ** e, 0);
for (let e = -323; e <= 308; e++) around(Number("1e" + e));
for (let e = 0; e <= 52; e++) emit(1n << BigInt(e)); // subnormals
for (const f of [2 ** 53, 2 ** 63, 2 ** 64, 1e21, 1e-6, 1e-7, 123456789012345680000, 0.1, 0.7, 1 / 3, Math.PI]) around(f, 20);
for (let n = 1; n <= 100; n++) { emit(bitsOf(n / 100)); emit(bitsOf(n)); }

let state = 0x9e3779b97f4a7c15n;
function next() {
  state ^= BigInt.asUintN(64, state << 13n);
  state ^= state >> 7n;
  state ^= BigInt.asUintN(64, state << 17n);
  return state;
}
for (let i = 0; i < 1000; i++) emit(next());
// exponents of everyday numbers, where the layout changes between plain and scientific
for (let i = 0; i < 1000; i++) {
  const bits = next();
  const exponent = 1023n - 30n + bits % 110n;
  emit(bits & 0x800fffffffffffffn | exponent << 52n);
}
// few significant digits, the numbers people write
for (let i = 0; i < 500; i++) {
  const bits = next();
  emit(bitsOf(Number(bits % 100000n) / 10 ** Number(bits >> 32n & 7n)));
}
