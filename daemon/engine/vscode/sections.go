package vscode

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

const (
	// bytesPerToken is how many bytes of UTF-8 make a token, near enough: English
	// has about four, and a Chinese character has three.
	bytesPerToken = 4
	// perMessage is what a message costs besides its content.
	perMessage = 4
	// perImage is what an image costs, whatever its size: about that of a
	// screenshot.
	perImage = 1000
	// perTool are the bytes of a tool's JSON besides its texts.
	perTool = 46
	// namedTokens is what a tool costs, about, that is only named.
	namedTokens = 25
)

// sections says where the context of a request goes that is not MCP's. kept are the
// places of the tools that are the host's own.
func sections(messages []protocol.MessageDigest, tools []protocol.RequestTool, kept []int) []protocol.UsageSection {
	system, rest, own := 0, 0, 0
	for i := range messages {
		tokens := perMessage + partTokens(messages[i].Parts)
		if messages[i].Role == "system" {
			system += tokens
		} else {
			rest += tokens
		}
	}
	for _, i := range kept {
		own += toolTokens(&tools[i])
	}
	return []protocol.UsageSection{
		{Name: "System prompt", Tokens: system}, {Name: "VS Code's tools", Tokens: own}, {Name: "Conversation", Tokens: rest},
	}
}

func toolTokens(t *protocol.RequestTool) int {
	return tokensOf(perTool + len(t.Name) + len(t.Description) + len(t.InputSchema))
}

func partTokens(parts []protocol.MessagePart) int {
	sum := 0
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Kind == protocol.PartResult:
			sum += partTokens(p.Content)
		case p.Kind == protocol.PartData && strings.HasPrefix(p.MimeType, "image/"):
			sum += perImage
		default:
			sum += tokensOf(len(p.Text) + len(p.Name) + len(p.Input) + int(p.Length))
		}
	}
	return sum
}

func tokensOf(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }
