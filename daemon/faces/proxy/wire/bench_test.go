package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
)

// bigRequest has 500 tools with the descriptions and schemas of usual ones,
// about 800 bytes each, and a conversation of 100 messages.
func bigRequest() []byte {
	var b strings.Builder
	b.WriteString(`{"model":"m","messages":[`)
	for i := range 100 {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		fmt.Fprintf(&b, `{"role":%q,"content":%q},`, role, strings.Repeat("some words of a message ", 40))
	}
	b.WriteString(`{"role":"user","content":"and now?"}],"tools":[`)
	for i := range 500 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":"function","function":{"name":"mcp__s%d__t%d","description":%q,"parameters":{"type":"object","properties":{%s},"required":["a0"]}}}`,
			i/20, i, strings.Repeat("what it does, and when. ", 10), strings.TrimSuffix(strings.Repeat(`"a0":{"type":"string","description":"a parameter of it"},`, 1)+
				`"a1":{"type":"string","description":"another parameter of it"},"a2":{"type":"array","items":{"type":"string","enum":["one","two"]}},`, ","))
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

// BenchmarkRead reads a request, digests its messages, and cuts it to 30 tools.
func BenchmarkRead(b *testing.B) {
	body := bigRequest()
	all := make([]bool, 500)
	var attached []int
	for i := range all {
		all[i] = true
		if i%17 == 0 {
			attached = append(attached, i)
		}
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		q, err := Read(Chat, body)
		if err != nil {
			b.Fatal(err)
		}
		for i := range q.Messages {
			if chats.Digest(q.Messages[i].Said) == "" {
				b.Fatal("no digest")
			}
		}
		if out := q.Apply(&Edit{Managed: all, Attached: attached, Added: []Declaration{load}}); len(out) > len(body) {
			b.Fatal("it has grown")
		}
	}
}
