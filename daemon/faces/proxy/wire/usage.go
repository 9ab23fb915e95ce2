package wire

import (
	"bytes"
	"encoding/json"
)

// Usage is what a provider says that an answer has cost, in its own tokens.
type Usage struct {
	// Input is all that was read: what the cache gave and took, too.
	Input int `json:"input"`
	// CacheRead is what the provider's cache gave, and CacheWrite what it took.
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	Output     int `json:"output"`
}

// Add adds what another answer has cost.
func (u *Usage) Add(o Usage) {
	u.Input += o.Input
	u.CacheRead += o.CacheRead
	u.CacheWrite += o.CacheWrite
	u.Output += o.Output
}

// Update takes what a later event of the same answer says, which is the sum up
// to then; what it does not say stays.
func (u *Usage) Update(o Usage) {
	u.Input = max(u.Input, o.Input)
	u.CacheRead = max(u.CacheRead, o.CacheRead)
	u.CacheWrite = max(u.CacheWrite, o.CacheWrite)
	u.Output = max(u.Output, o.Output)
}

// counts are the members that providers count with.
type counts struct {
	// OpenAI's chat completions, and Responses.
	PromptTokens     int      `json:"prompt_tokens"`
	CompletionTokens int      `json:"completion_tokens"`
	PromptDetails    *details `json:"prompt_tokens_details"`
	InputDetails     *details `json:"input_tokens_details"`
	// Responses and Anthropic. Anthropic's input is what no cache had.
	InputTokens   int `json:"input_tokens"`
	OutputTokens  int `json:"output_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
}

type details struct {
	Cached int `json:"cached_tokens"`
}

// ReadUsage returns what an answer, or an event of one, says of its cost; zero
// where it says nothing.
func ReadUsage(format Format, text []byte) Usage {
	if !bytes.Contains(text, []byte(`"usage`)) {
		return Usage{}
	}
	var in struct {
		Usage    *counts `json:"usage"`
		Response struct {
			Usage *counts `json:"usage"`
		} `json:"response"`
		Message struct {
			Usage *counts `json:"usage"`
		} `json:"message"`
		Metadata struct {
			Prompt     int `json:"promptTokenCount"`
			Cached     int `json:"cachedContentTokenCount"`
			Candidates int `json:"candidatesTokenCount"`
			Thoughts   int `json:"thoughtsTokenCount"`
		} `json:"usageMetadata"`
	}
	if json.Unmarshal(text, &in) != nil {
		return Usage{}
	}
	if format == Gemini {
		m := &in.Metadata
		return Usage{Input: m.Prompt, CacheRead: m.Cached, Output: m.Candidates + m.Thoughts}
	}
	for _, c := range []*counts{in.Usage, in.Response.Usage, in.Message.Usage} {
		if c != nil {
			return c.usage(format)
		}
	}
	return Usage{}
}

func (c *counts) usage(format Format) Usage {
	switch format {
	case Messages:
		return Usage{
			Input: c.InputTokens + c.CacheCreation + c.CacheRead, CacheRead: c.CacheRead, CacheWrite: c.CacheCreation, Output: c.OutputTokens,
		}
	case Responses:
		return Usage{Input: c.InputTokens, CacheRead: c.InputDetails.cached(), Output: c.OutputTokens}
	}
	return Usage{Input: c.PromptTokens, CacheRead: c.PromptDetails.cached(), Output: c.CompletionTokens}
}

func (d *details) cached() int {
	if d == nil {
		return 0
	}
	return d.Cached
}
