// Package sessions reads what agents left behind, session logs and recorded requests, as a series of model calls: what
// the model was given each time.
//
// # What is read
//
//	format        file                                               each call is
//	claude-code   Claude Code's JSON lines; a web export             an API message; lines that share message.id are one
//	codex         a Codex rollout                                    a run of items that the model made
//	openhands     OpenHands' events, its SDK's too; evaluations       a model response; in old files an action
//	openhands-llm one completion log of OpenHands' SDK               the file
//	swe-agent     a SWE-agent .traj, old and new                     an assistant message
//	inspect       an inspect_ai log, .json and .eval                 a model event; without events, an assistant message
//	transcript    messages in OpenAI's shape: a list, tau-bench,     an assistant message
//	              tau2-bench, mini-SWE-agent
//	pi            pi's JSON lines                                    an assistant message
//	gemini-cli    a Gemini CLI session                               a message of type gemini
//	adk           ADK's events and evaluation sets                   a content of role model
//	aider         aider's chat history                               an answer
//	requests      one body a line, bare or as {method, uri, body};   the body
//	              one body; OpenAI (both APIs), Anthropic, Gemini,
//	              Bedrock Converse
//	openai        the same, but bodies of another provider are refused
//	anthropic     likewise
//	bfcl          BFCL questions                                     a turn of the user
//	tools         MCP tools/list, BFCL function documents, OpenAI's  none: the tools
//	              and Codex's tool lists
//
// Every record of a file, a line or an element of its list, has an [Outcome]: used, not part of a prompt and why, or
// broken. Broken records end the reading unless [Options.SkipBad] is set.
//
// Where a log says that the history was compacted (Claude Code, Codex, OpenHands and pi do), the calls after it have the
// summary and the messages that were kept, in the order the log gives.
//
// # What is not promised
//
// Most logs hold no system prompt and no tools, and then the calls have none; [Options.Tools] supplies tools. Messages
// are what the log says, not what the agent's own code would have made of it on the wire.
//
// Reading a log of JSON lines holds the messages it is made of, once, and one line; other files are held whole.
package sessions
