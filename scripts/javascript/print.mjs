// Writes the table of what JavaScript prints for JSON values whose objects have sorted keys, one line a value:
// the JSON text, and what is printed for it. Run once, with Node 20; the result is kept.
//
//   node scripts/javascript/print.mjs > fragments/template/testdata/javascript.jsonl

const sorted = (v) =>
  Array.isArray(v) ? v.map(sorted)
  : v !== null && typeof v === 'object' ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, sorted(v[k])]))
  : v

const texts = [
  'null', 'true', 'false', '""', '"plain"', '"$& $1 $$"', '"a\\nb"', '"{{name}}"', '"\\u0041\\ud83d\\ude00"',
  '[]', '{}', '[ ]', '{ }', '[[],{},[{}]]', ' [1 , 2,\t3\n] ', '{"b":1,"a":2}', '{"b":{"d":[{"z":1,"y":2}],"c":null},"a":[true,false]}',
  '["<b>&amp;</b>","\u2028\u2029","\u007f","/","\\/","\\u001f\\b\\t\\n\\f\\r\\"\\\\"]',
  '{"é":1,"z":2,"A":3,"a":4,"_":5,"":6,"\\u00e9x":7}',
  '{"\ufb33":1,"\u{1f600}":2,"\uffff":3,"\ud7ff":4,"\ue000":5,"\u{10ffff}":6,"z":7}',
  '{"10":"ten","9":"nine","1":"one","01":"lead","-1":"neg","0":"zero","1.0":"x","b":0,"A":0}',
  '{"4294967294":1,"4294967295":2,"4294967296":3,"42":4,"a":{"2":1,"10":2,"x":[{"20":1,"3":2}]}}',
  '{"a b":1,"a\\nb":2,"a":3,"a\\u0000":4}', '{"__proto":1,"constructor":2,"toString":3}',
]
const numbers = [
  '0', '-0', '-0.0', '0e5', '-0e-5', '1', '-1', '1.0', '1e0', '10', '1E1', '1e+1', '100e-2', '0.1', '0.10', '-0.5', '1e-1',
  '0.000001', '0.0000001', '1e-6', '1e-7', '1.5e-7', '123e-9', '1e20', '1e21', '1.5e21', '123456789012345678901', '1e22', '1e23',
  '999999999999999900000', '9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '12345678901234567890',
  '333333333.33333329', '0.1e1', '5e-324', '4.9e-324', '2e-324', '2.5e-324', '1e-400', '-1e-400', '2.2250738585072014e-308',
  '2.225073858507201e-308', '1.7976931348623157e308', '1.7976931348623158e308', '-1.7976931348623157e308', '3.141592653589793238462643',
  '0.30000000000000004', '4.35', '4.349999999999999', '1e15', '1e16', '123456789.123456789', '1000000000000000128', '1000000000000000129',
  '295147905179352830000', '0.0000001234567890123456789', '100000000000000000000', '1e5', '1.2e3', '-12.5e-10', '8.41e21', '9.0608011534336e15',
]
// Doubles from a fixed generator, spelled in three ways.
let state = 20201130n
const next = () => (state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn)
const view = new DataView(new ArrayBuffer(8))
for (let i = 0; i < 400; i++) {
  view.setBigUint64(0, next())
  const f = view.getFloat64(0)
  if (!Number.isFinite(f)) continue
  numbers.push([String(f), f.toExponential(), f.toPrecision(25)][i % 3])
}
for (const text of [...texts, ...numbers, ...numbers.slice(0, 20).map((n) => `[${n},{"n":${n}}]`)]) {
  const value = JSON.parse(text)
  const printed = typeof value === 'string' ? value : JSON.stringify(sorted(value))
  console.log(JSON.stringify({ json: text, printed }))
}
