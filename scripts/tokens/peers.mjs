// Prints how fast the npm tokenizers count, a line per peer and text: "peer text MB/s tokens".
//
//	node peers.mjs FOLDER
//
// FOLDER has the texts as code.txt, prose.txt, cjk.txt and emoji.txt. Each is counted for two seconds, and the best run
// counts, after a run that is not timed.
import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { get_encoding } from 'tiktoken';

const folder = process.argv[2];
const wasm = get_encoding('o200k_base');
const js = new Tiktoken(o200k);
const peers = {
  tiktoken: (text) => wasm.encode_ordinary(text).length,
  'gpt-tokenizer': (text) => countTokens(text, { disallowedSpecial: new Set() }),
  'js-tiktoken': (text) => js.encode(text, [], []).length,
};

for (const text of ['code', 'prose', 'cjk', 'emoji']) {
  const content = readFileSync(`${folder}/${text}.txt`, 'utf8');
  const megabytes = Buffer.byteLength(content) / 1e6;
  for (const [name, count] of Object.entries(peers)) {
    const tokens = count(content);
    let best = Infinity;
    for (const until = performance.now() + 2000; performance.now() < until; ) {
      const start = performance.now();
      count(content);
      best = Math.min(best, performance.now() - start);
    }
    console.log(`${name} ${text} ${((megabytes / best) * 1000).toFixed(2)} ${tokens}`);
  }
}
