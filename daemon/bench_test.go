package daemon_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// benchTools is the size of the catalogue that the aims are set for.
const benchTools = 1000

// benchTool returns the i-th of many tools, as large as real ones are: a
// sentence or two, and half a dozen parameters.
func benchTool(i int) (name, description string, schema json.RawMessage) {
	verbs := []string{"create", "delete", "list", "update", "archive", "search", "export", "merge"}
	nouns := []string{"ticket", "invoice", "branch", "dashboard", "playlist", "recipe", "reservation", "sensor",
		"customer", "shipment", "calendar", "contract", "document", "payment", "release", "workflow"}
	verb, noun := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)]
	round := i / len(verbs) / len(nouns)
	name = fmt.Sprintf("%s_%s_%d", verb, noun, round)
	description = fmt.Sprintf("%s%s a %s in project %d. Use it when the user wants to %s one %s, or several that "+
		"share a label; it returns the %s with its history.", strings.ToUpper(verb[:1]), verb[1:], noun, round, verb, noun, noun)
	schema = fmt.Appendf(nil, `{"type":"object","properties":{"%s_id":{"type":"string","description":"Identifier of the %s"},`+
		`"label":{"type":"string","description":"Only those with this label"},"limit":{"type":"integer","minimum":1,"maximum":100},`+
		`"dry_run":{"type":"boolean","description":"Say what would happen and do nothing"},`+
		`"owner":{"type":"string","description":"Login of the owner"}},"required":["%s_id"]}`, noun, noun, noun)
	return name, description, schema
}

// benchHostTools are the tools of a host, ten servers of a hundred each.
func benchHostTools() []protocol.HostTool {
	tools := make([]protocol.HostTool, benchTools)
	for i := range tools {
		name, description, schema := benchTool(i)
		tools[i] = protocol.HostTool{
			Server: "server" + strconv.Itoa(i*10/benchTools), Name: name, Description: description, InputSchema: schema,
		}
	}
	return tools
}

// benchServers are the same tools, of scripted servers.
func benchServers(b *testing.B) servers {
	byServer := map[string][]string{}
	for _, t := range benchHostTools() {
		byServer[t.Server] = append(byServer[t.Server], fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":%s}`,
			t.Name, t.Description, t.InputSchema))
	}
	all := servers{}
	for name, tools := range byServer {
		all[name] = scriptedByFile(b, upstreamtest.Script{Tools: tools})
	}
	return all
}

// benchMessages are user messages with something and with little to match.
func benchMessages() []string {
	return []string{
		"list the invoices of the customer and export them",
		"please create a ticket for the broken dashboard, and mention the release in which it worked",
		"thanks, go on",
		"which sensors of the shipment reported nothing since Monday?",
		"archive the playlist",
	}
}

// benchSource is where a thousand tools come from.
type benchSource struct {
	name string
	// start runs a daemon that has them all, and returns the source to route.
	start func(b *testing.B, storage string) (h *daemontest.Host, source string)
}

func benchSources() []benchSource {
	return []benchSource{
		{"host", func(b *testing.B, storage string) (*daemontest.Host, string) {
			h := daemontest.Start(b, winnowd(b), daemontest.Options{Storage: storage})
			h.Initialize(nil)
			daemontest.Call[protocol.SetHostToolsResult](h, protocol.MethodSetHostTools,
				protocol.SetHostToolsParams{Source: "host", Tools: benchHostTools()})
			return h, "host"
		}},
		{"upstream", func(b *testing.B, storage string) (*daemontest.Host, string) {
			s := benchServers(b)
			h := daemontest.Start(b, winnowd(b), daemontest.Options{Workspace: workspaceWith(b, s, nil), Storage: storage})
			h.Initialize(nil)
			h.UntilReady(s)
			return h, ""
		}},
	}
}

// windowTurns are the turns of a task, after its first, that rank.
const windowTurns = 6

// timed measures f for each iteration and reports the median beside the mean.
// What is to be done before is not measured.
func timed(b *testing.B, f func(i int), before ...func(i int)) {
	b.ReportAllocs()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		for _, prepare := range before {
			prepare(i)
		}
		b.StartTimer()
		start := time.Now()
		f(i)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkWire measures what a host waits for over a real pipe, its own
// encoding and decoding aside.
func BenchmarkWire(b *testing.B) {
	messages := benchMessages()
	for _, source := range benchSources() {
		b.Run(source.name, func(b *testing.B) {
			h, src := source.start(b, b.TempDir())
			ask := func(b *testing.B, method string, params any) {
				answer, err := h.Begin(method, params).Await()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(answer))/1000, "answer-KB")
			}
			open := func(b *testing.B) string {
				return daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen,
					protocol.TaskOpenParams{Message: messages[0], Source: src}).Task
			}
			b.Run("task/open", func(b *testing.B) {
				timed(b, func(i int) {
					ask(b, protocol.MethodTaskOpen, protocol.TaskOpenParams{Message: messages[i%len(messages)], Source: src})
				})
			})
			b.Run("task/turn", func(b *testing.B) {
				task := ""
				timed(b, func(i int) {
					ask(b, protocol.MethodTaskTurn, protocol.TaskTurnParams{Task: task, Message: messages[i%len(messages)]})
				}, func(i int) {
					if i%windowTurns == 0 {
						task = open(b)
					}
				})
			})
			b.Run("task/load", func(b *testing.B) {
				task := open(b)
				timed(b, func(int) {
					ask(b, protocol.MethodTaskLoad, protocol.TaskLoadParams{Task: task, Query: "merge two branches", Limit: 3})
				})
			})
			b.Run("catalog/search", func(b *testing.B) {
				timed(b, func(i int) {
					ask(b, protocol.MethodCatalogSearch,
						protocol.CatalogSearchParams{Query: messages[i%len(messages)], Source: src, Limit: 10})
				})
			})
		})
	}
}

// resident returns what a line of a process's status says of its memory, in MB.
func resident(b *testing.B, pid int, what string) float64 {
	b.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		b.Skipf("the resident memory cannot be read on this system: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, what+":"); ok {
			kB, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kB / 1024
		}
	}
	b.Fatalf("no %s", what)
	return 0
}

// quietLine is what the daemon logs when it has tidied up.
const quietLine = `"msg":"quiet"`

// BenchmarkMemory measures the daemon's resident memory: with nothing to do,
// with more servers than are accepted, and with a thousand tools of either source after a hundred turns, in a first
// run, which counts their tokens, and in a later one. rss-MB is measured right
// after the work, settled-MB when nothing has changed for a while, and private-MB
// then too: without the pages of the program's file, which the system shares
// between windows and takes back when it likes.
func BenchmarkMemory(b *testing.B) {
	b.Run("idle", func(b *testing.B) {
		measureMemory(b, func() *daemontest.Host {
			h := daemontest.Start(b, winnowd(b), daemontest.Options{})
			h.Initialize(nil)
			h.Catalog()
			return h
		})
	})
	b.Run("8000-servers", func(b *testing.B) {
		many := servers{}
		for i := range 8000 {
			many[fmt.Sprintf("server-%d", i)] = entry{Command: "server", Disabled: new(true)}
		}
		workspace := workspaceWith(b, many, nil)
		measureMemory(b, func() *daemontest.Host {
			h := daemontest.Start(b, winnowd(b), daemontest.Options{Workspace: workspace})
			h.Initialize(nil)
			h.Catalog()
			return h
		})
	})
	for _, source := range benchSources() {
		storage := b.TempDir()
		for _, run := range []string{"first", "later"} {
			b.Run(source.name+"/"+run, func(b *testing.B) {
				measureMemory(b, func() *daemontest.Host { return worked(b, source, storage) })
			})
		}
	}
}

// worked returns a daemon with a thousand tools after a hundred turns.
func worked(b *testing.B, source benchSource, storage string) *daemontest.Host {
	h, src := source.start(b, storage)
	for range 20 {
		a := daemontest.Call[protocol.Attachment](h, protocol.MethodTaskOpen,
			protocol.TaskOpenParams{Message: benchMessages()[0], Source: src})
		for _, message := range benchMessages() {
			turn(h, a.Task, message)
		}
	}
	return h
}

func measureMemory(b *testing.B, start func() *daemontest.Host) {
	for b.Loop() {
		h := start()
		b.ReportMetric(resident(b, h.PID, "VmRSS"), "rss-MB")
		before := strings.Count(h.Log(), quietLine)
		// The daemon may have tidied up during the work: a change makes it do so
		// again.
		h.Notify(protocol.MethodDidChangeSettings, protocol.DidChangeSettingsParams{Settings: json.RawMessage(`{}`)})
		h.Until("quiet", func() bool { return strings.Count(h.Log(), quietLine) > before })
		b.ReportMetric(resident(b, h.PID, "VmRSS"), "settled-MB")
		b.ReportMetric(resident(b, h.PID, "RssAnon"), "private-MB")
		h.Close()
	}
}

// BenchmarkColdStart measures from exec to initialize answered, with no server
// defined, and with six servers whose thousand tools are known from an earlier
// run: then to a complete catalogue.
func BenchmarkColdStart(b *testing.B) {
	b.Run("empty", func(b *testing.B) {
		coldStart(b, daemontest.Options{}, 0)
	})
	b.Run("known", func(b *testing.B) {
		s := benchServers(b)
		o := daemontest.Options{Workspace: workspaceWith(b, s, nil), Storage: b.TempDir()}
		h := daemontest.Start(b, winnowd(b), o)
		h.Initialize(nil)
		h.UntilReady(s)
		h.Close()
		coldStart(b, o, benchTools)
	})
}

func coldStart(b *testing.B, o daemontest.Options, tools int) {
	binary := winnowd(b)
	var answered, complete, cpu time.Duration
	n := 0
	for b.Loop() {
		start := time.Now()
		h := daemontest.Start(b, binary, o)
		if _, err := h.Begin(protocol.MethodInitialize, h.InitializeParams(nil)).Await(); err != nil {
			b.Fatal(err)
		}
		answered += time.Since(start)
		list := h.Catalog()
		complete += time.Since(start)
		cpu += cpuTime(b, h.PID)
		if len(list.Tools) != tools {
			b.Fatalf("%d tools are known at the start, want %d", len(list.Tools), tools)
		}
		n++
		b.StopTimer()
		h.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(answered.Microseconds())/1000/float64(n), "initialize-ms")
	b.ReportMetric(float64(complete.Microseconds())/1000/float64(n), "catalogue-ms")
	b.ReportMetric(float64(cpu.Microseconds())/1000/float64(n), "cpu-ms")
}

// cpuTime returns the time that a process has had a processor for, which does
// not depend on what else the machine does.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "schedstat"))
	if err != nil {
		b.Fatal(err)
	}
	var sum time.Duration
	for _, thread := range threads {
		var ran time.Duration
		if data, err := os.ReadFile(thread); err == nil {
			if _, err := fmt.Sscan(string(data), &ran); err != nil {
				b.Fatal(err)
			}
		}
		sum += ran
	}
	return sum
}
