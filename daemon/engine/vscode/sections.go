package vscode

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

const (
	// bytesPerToken approximates the bytes of UTF-8 per token: English has about four,
	// and a Chinese character has three.
	bytesPerToken = 4
	// perMessage is the cost of a message besides its content, in tokens.
	perMessage = 4
	// perImage is the cost of an image of any size, about that of a screenshot.
	perImage = 1000
	// perTool is the size of a tool's JSON besides its texts, in bytes.
	perTool = 46
	// namedTokens is the approximate cost of a tool that is only named.
	namedTokens = 25
)

// sections breaks down the context of a request that is not MCP's. kept holds the indexes
// of the host's own tools.
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
