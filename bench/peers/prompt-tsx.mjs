import { OutputMode, PromptElement, PromptRenderer, Raw, TextChunk, UserMessage } from '@vscode/prompt-tsx';
import { tokens } from './tokens.mjs';

// What the compiler makes of TSX.
const { vscpp, vscppf } = globalThis;

const tokenizer = {
  mode: OutputMode.Raw,
  tokenLength: (part) => tokens(part.text),
  countMessageTokens: (message) => message.content.reduce((sum, part) => sum + tokens(part.text), 0),
};

// <UserMessage><TextChunk priority={0}>…</TextChunk> … </UserMessage>
class OneMessage extends PromptElement {
  render() {
    return vscpp(UserMessage, null, this.props.sections.map((text, i) => vscpp(TextChunk, { priority: i }, text)));
  }
}

// <><UserMessage priority={0}>…</UserMessage> … </>
class ManyMessages extends PromptElement {
  render() {
    return vscpp(vscppf, null, this.props.sections.map((text, i) => vscpp(UserMessage, { priority: i }, text)));
  }
}

async function render(element, sections, budget) {
  const renderer = new PromptRenderer({ modelMaxPromptTokens: budget }, element, { sections }, tokenizer);
  const { messages } = await renderer.render();
  return messages.flatMap((m) => m.content.filter((p) => p.type === Raw.ChatCompletionContentPartKind.Text).map((p) => p.text));
}

export const promptTsxMessage = (sections, budget) => render(OneMessage, sections, budget);
export const promptTsxMessages = (sections, budget) => render(ManyMessages, sections, budget);
