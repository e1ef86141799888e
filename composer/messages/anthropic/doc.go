// Package anthropic reads and writes the request bodies of Anthropic's messages API without loss.
//
// What [Parse] reads, [Request.AppendJSON] writes: the same JSON value, with unknown members and blocks, numbers digit by
// digit, cache markers, and the order of messages, blocks and tools. Only white space and the order of members change:
// known members come in a fixed order, the others as read. [Request.Canonical] gives the one form of all bodies that say
// the same.
//
// # How a body becomes messages
//
//	body                          message or block
//	system: string or blocks      [Request.System]
//	content: string               a text block; [messages.Message.Shape] says which
//	text, image, document         text, image, document
//	thinking                      thinking; its signature in Extra
//	tool_use                      tool_call
//	tool_result                   tool_result, in the message of the user that holds it
//	any other block               a block of a kind with the block's type, all of it in Extra
//	cache_control                 [messages.Block.Cache]
//
// Members without a field are kept in Extra, under their own names, or as "anthropic:NAME" where the name means something
// else in a message. Calls of server tools and their results stand in one message of the assistant and stay together.
package anthropic
