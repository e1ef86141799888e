import priompt from '@impowering/priompt';
import { tokens } from './tokens.mjs';

const { createElement, render, promptToOpenAIChatMessages, UserMessage } = priompt;

// Only what is asked of a tokenizer to fit a prompt into a limit; there are no tokens, only their number.
const tokenizer = {
  name: 'characters/4',
  numTokens: async (text) => tokens(text),
  estimateNumTokensFast: async (text) => tokens(text),
  estimateNumTokensFast_SYNCHRONOUS_BE_CAREFUL: tokens,
  estimateTokensUsingCharCount: (text) => [Math.floor(text.length / 4), tokens(text)],
};

async function contents(element, tokenLimit) {
  const { prompt } = await render(element, { tokenLimit, tokenizer });
  return promptToOpenAIChatMessages(prompt).map((m) => m.content);
}

// <UserMessage><scope p={0}>…</scope> … </UserMessage>
export const priomptMessage = (sections, budget) =>
  contents(createElement(UserMessage, null, ...sections.map((text, i) => createElement('scope', { p: i }, text, '\n'))), budget);

// <><UserMessage p={0}>…</UserMessage> … </>
export const priomptMessages = (sections, budget) =>
  contents(sections.map((text, i) => createElement(UserMessage, { p: i }, text)), budget);
