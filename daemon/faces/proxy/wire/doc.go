// Package wire reads and edits requests to model providers in four formats: OpenAI's chat
// completions and Responses, Anthropic's messages and Gemini's generateContent.
//
// A [Request] records where its tools and messages are in the body. An [Edit] moves bytes
// and never re-encodes what it does not change: unknown fields, the order of keys and the
// spelling of numbers are kept. An edit that changes nothing returns the body itself.
//
// Reading is one pass over the body. A body that is not in the format or not understood
// is an error, and the caller forwards it unchanged. The package does not route, does no
// I/O and keeps no state except [Lists].
package wire
