package wire

import (
	"bytes"
	"encoding/json"
)

// Usage is the usage that a provider reports for a response, in its own tokens.
type Usage struct {
	// Input counts all input tokens, including cached ones.
	Input int `json:"input"`
	// CacheRead counts the tokens read from the provider's cache, CacheWrite those
	// written to it.
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	Output     int `json:"output"`
}

// Add adds the usage of another response.
func (u *Usage) Add(o Usage) {
	u.Input += o.Input
	u.CacheRead += o.CacheRead
	u.CacheWrite += o.CacheWrite
	u.Output += o.Output
}

// Update applies the usage in a later event of the same response. Events hold sums;
// missing values stay.
func (u *Usage) Update(o Usage) {
	u.Input = max(u.Input, o.Input)
	u.CacheRead = max(u.CacheRead, o.CacheRead)
	u.CacheWrite = max(u.CacheWrite, o.CacheWrite)
	u.Output = max(u.Output, o.Output)
}

// counts holds the providers' members for usage.
type counts struct {
	// OpenAI's chat completions, and Responses.
	PromptTokens     int      `json:"prompt_tokens"`
	CompletionTokens int      `json:"completion_tokens"`
	PromptDetails    *details `json:"prompt_tokens_details"`
	InputDetails     *details `json:"input_tokens_details"`
	// Responses and Anthropic. Anthropic's input excludes cached tokens.
	InputTokens   int `json:"input_tokens"`
	OutputTokens  int `json:"output_tokens"`
	CacheCreation int `json:"cache_creation_input_tokens"`
	CacheRead     int `json:"cache_read_input_tokens"`
}

type details struct {
	Cached int `json:"cached_tokens"`
}

// ReadUsage returns the usage in a response or an event, or zero.
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
