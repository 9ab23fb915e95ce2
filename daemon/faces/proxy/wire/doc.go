// Package wire reads and edits the requests that clients send to a model's
// provider, in the four formats that are spoken: OpenAI's chat completions and
// Responses, Anthropic's messages and Gemini's generateContent.
//
// A [Request] knows where its tools and messages are in the body, so that an
// [Edit] moves bytes and never re-encodes what it does not change: unknown
// fields, the order of keys and the spelling of numbers stay. An edit that
// changes nothing gives back the body itself.
//
// Reading is one pass over the body. What a format does not say, or says in a
// way that is not understood, is an error, which means: pass the body on as it
// is. The package does not route, does no I/O and keeps nothing.
package wire
