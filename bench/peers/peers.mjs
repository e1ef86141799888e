// Runs the peers that are written in JavaScript, for the Go program beside it.
//
//	node peers.mjs INPUT
//
// INPUT is a JSON file: {"sections": [text, …], "budget": tokens}. A line of the standard input is a request,
// {"peer": name, "runs": n, "show": bool}; its answer is a line too: {"nanoseconds": of one run, "prompt": [text, …]},
// the prompt of the last run where it is asked for. Requests come one at a time.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { dropOldest } from './drop-oldest.mjs';
import { langchain } from './langchain.mjs';
import { priomptMessage, priomptMessages } from './priompt.mjs';
import { promptTsxMessage, promptTsxMessages } from './prompt-tsx.mjs';

const peers = {
  'prompt-tsx, one message': promptTsxMessage,
  'prompt-tsx, N messages': promptTsxMessages,
  'priompt, one message': priomptMessage,
  'priompt, N messages': priomptMessages,
  'langchain trimMessages': langchain,
  'drop-oldest loop, JavaScript': dropOldest,
};

const { sections, budget } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for await (const line of createInterface({ input: process.stdin })) {
  const { peer, runs, show } = JSON.parse(line);
  let prompt;
  const begin = process.hrtime.bigint();
  for (let i = 0; i < runs; i++) prompt = await peers[peer](sections, budget);
  const nanoseconds = Math.round(Number(process.hrtime.bigint() - begin) / runs);
  console.log(JSON.stringify({ nanoseconds, prompt: show ? prompt : undefined }));
}
process.exit(0); // a peer may hold a socket open
