import { HumanMessage, trimMessages } from '@langchain/core/messages';
import { tokens } from './tokens.mjs';

const tokenCounter = (messages) => messages.reduce((sum, m) => sum + tokens(m.content), 0);

export async function langchain(sections, maxTokens) {
  const messages = sections.map((text) => new HumanMessage(text));
  const kept = await trimMessages(messages, { maxTokens, strategy: 'last', tokenCounter });
  return kept.map((m) => m.content);
}
