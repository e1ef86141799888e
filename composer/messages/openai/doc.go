// Package openai reads and writes the request bodies of OpenAI's APIs, chat completions and responses, without loss.
//
// What [Parse] reads, [Request.AppendJSON] writes: the same JSON value, with unknown members and content parts, numbers
// digit by digit, and the order of messages, parts and tools. Only white space and the order of members change: known
// members come in a fixed order, the others as read. [Request.Canonical] gives the one form of all bodies that say the
// same.
//
// # How a body becomes messages
//
//	body                                 message or block
//	content: string, null, absent        a text block, none; [messages.Message.Shape] says which
//	content part text                    text; its cache_control is [messages.Block.Cache]
//	content part image_url, input_audio, file      image, audio, file
//	any other content part               a block of a kind with the part's type, all of it in Extra
//	reasoning_content                    thinking, before all other blocks
//	tool_calls                           tool_call, after all other blocks
//	role tool                            one tool_result, with the content as result
//	responses: instructions              [Request.System]
//	responses: function_call, custom_tool_call     an assistant message with a tool_call
//	responses: …_call_output             a tool message with a tool_result
//	responses: reasoning                 an assistant message with thinking, the text of its summary in Extra
//	responses: any other item            a message with one block of a kind with the item's type
//
// Members without a field are kept in Extra, under their own names, or as "openai:NAME" where the name means something
// else in a message.
//
// The package does not check what a provider would: a body may name tools that do not exist.
package openai
