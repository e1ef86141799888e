import { tokens } from './tokens.mjs';

// dropOldest is the loop that most trimmers of a history are: while what is left counts too much, the oldest goes, and
// all that is left is counted again.
export function dropOldest(sections, budget) {
  let left = sections;
  while (left.reduce((sum, text) => sum + tokens(text), 0) > budget) left = left.slice(1);
  return [left.join('\n')];
}
