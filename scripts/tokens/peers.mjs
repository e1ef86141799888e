// Prints how fast the npm tokenizers count o200k_base, a line per text and peer: "text peer new again tokens", in MB/s.
//
//	node peers.mjs FOLDER
//
// FOLDER has the texts as code.txt, prose.txt, cjk.txt and emoji.txt. "new" is the speed on the second half of a text
// after a run over the first: the code is warm and the text is not known. "again" is the best of two seconds of runs
// over the same whole text, where a tokenizer that keeps the words it has seen has seen them all.
import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { get_encoding } from 'tiktoken';

const folder = process.argv[2];
if (!folder) throw new Error('usage: node peers.mjs FOLDER');
const wasm = get_encoding('o200k_base');
const js = new Tiktoken(o200k);
const peers = {
  tiktoken: (text) => wasm.encode_ordinary(text).length,
  'gpt-tokenizer': (text) => countTokens(text, { disallowedSpecial: new Set() }),
  'js-tiktoken': (text) => js.encode(text, [], []).length,
};

// speed returns MB/s.
function speed(count, text) {
  const start = performance.now();
  count(text);
  return Buffer.byteLength(text) / 1000 / (performance.now() - start);
}

for (const name of ['code', 'prose', 'cjk', 'emoji']) {
  const text = readFileSync(`${folder}/${name}.txt`, 'utf8');
  const half = text.lastIndexOf('\n', text.length / 2) + 1;
  for (const [peer, count] of Object.entries(peers)) {
    count(text.slice(0, half));
    const fresh = speed(count, text.slice(half));
    let again = 0;
    for (const until = performance.now() + 2000; performance.now() < until; ) again = Math.max(again, speed(count, text));
    console.log(name, peer, fresh.toFixed(2), again.toFixed(2), count(text));
  }
}
