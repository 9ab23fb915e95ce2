package program_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-mcp/winnow/daemon/program"
)

// echo answers a call with its name and its arguments.
func echo(_ context.Context, k program.Call) (program.Answer, error) {
	switch k.Name {
	case "text":
		return program.Answer{Text: "line 1\nline 2"}, nil
	case "fails":
		return program.Answer{}, errors.New("the disk is full")
	}
	return program.Answer{JSON: fmt.Appendf(nil, `{"tool":%q,"arguments":%s}`, k.Name, k.Arguments)}, nil
}

func run(t testing.TB, source string, l program.Limits) (string, error) {
	t.Helper()
	p, err := program.Parse(source)
	if err != nil {
		return "", err
	}
	return p.Run(t.Context(), l, echo)
}

// TestRun: what a program returns, and that an error names its line.
func TestRun(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ source, want string }{
		"a value":            {`result = {"b": [1, 2.5, None, True], "a": "<x>"}`, `{"b":[1,2.5,null,true],"a":"<x>"}`},
		"a text":             {`result = "one\ntwo"`, "one\ntwo"},
		"printed":            {`print("a", 1)`, "a 1\n"},
		"a call":             {`result = call("t", {"a": [1]})["arguments"]["a"][0]`, "1"},
		"a call by name":     {`result = call("t", a = 1, b = "x")["arguments"]`, `{"a":1,"b":"x"}`},
		"a text answered":    {`result = [l.split(" ")[1] for l in call("text").splitlines()]`, `["1","2"]`},
		"several at once":    {"all = parallel([(\"a\", {\"n\": i}) for i in range(20)])\nresult = [a[\"arguments\"][\"n\"] for a in all]", "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]"},
		"control":            {"n = 0\nfor i in range(10):\n  if i % 2 == 0 and not i == 4:\n    n += i\nresult = n", "16"},
		"functions":          {"def f(x, y = 2, *rest, **more):\n  return x * y + len(rest) + more.get(\"z\", 0)\nresult = f(3, *[4, 5], **{\"z\": 6})", "19"},
		"in place":           {"d = {\"a\": [1], \"n\": 1}\nd[\"a\"] += [2]\nd[\"n\"] += 2\nl = d[\"a\"]\nl += [3]\nresult = d", `{"a":[1,2,3],"n":3}`},
		"sorted by key":      {`result = sorted(["bb", "a"], key = len) + sorted([3, 1], key = lambda x: -x, reverse = True)`, `["a","bb",1,3]`},
		"comprehensions":     {`result = {k: v for k, v in {"a": 1, "b": 2}.items() if v > 1}`, `{"b":2}`},
		"slices":             {`result = "abcdef"[1:-1:2] + str([1, 2, 3][:2]) + ("%s-%d" % ("x", 3)) + "{}:{a}".format(1, a = 2)`, "bd[1, 2]x-31:2"},
		"unpacked":           {"(a, [b, c]) = (1, [2, 3])\nd = [0]\nd[0] = a\nresult = [c, b, d[0]] if a in d else None", "[3,2,1]"},
		"JSON in a text":     {`result = json_decode(json_encode({"big": 12345678901234567890}))["big"]`, "12345678901234567890"},
		"an error of a tool": {"x = 1\nresult = call(\"fails\")", "line 2: fails: the disk is full"},
		"of one at once":     {"\n\nparallel([(\"a\", {}), (\"fails\", {})])", "line 3: fails: the disk is full"},
		"in a function":      {"def f():\n  return 1 // 0\n\nresult = f()", "line 2: floored division by zero"},
		"an unknown name":    {"x = 1\ny = nothing", "line 2: undefined: nothing"},
		"a syntax error":     {"x = 1\ny = = 2", "line 2: got '=', want primary expression"},
		"no member":          {"x = {}\n\ny = x[\"none\"]", `line 3: key "none" not in dict`},
		"while":              {"while True:\n  pass", "line 1: there is no while; use for"},
		"load":               {`load("os", "x")`, "line 1: a program loads no other"},
		"a hidden function":  {"result = getattr(\"a\", \"upper\")()", "line 1: getattr is not available in a program"},
		"of its own name":    {"result = $call(len, [])", "line 1: unexpected input character '$'"},
		"too many calls":     {"for i in range(100):\n  call(\"t\")", "line 2: a program makes at most 50 calls"},
		"no result":          {"x = 1", `the program returns nothing: assign to "result" what you want to see`},
		"no JSON":            {"result = [len]", "result: a builtin_function_or_method has no form in JSON; make a list or a text of it"},
		"a sum with a call":  {"d = {}\nd[call(\"t\")] += 1", "line 2: what is added to holds a call; give it a name first"},
		"steps":              {"for i in range(10000000):\n  pass", "line 1: the program took more than 1000000 steps"},
	} {
		got, err := run(t, tc.source, program.DefaultLimits())
		if err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

// greedy are programs that want more memory or time than they may have, in ways
// that no count of steps bounds.
func greedy() []string {
	return []string{
		`x = "a" * (1 << 29)`,
		"x = \"a\"\nfor i in range(40):\n  x = x + x",
		"x = \"a\"\nfor i in range(40):\n  x += x",
		"x = [1]\nfor i in range(40):\n  x += x",
		"x = [1]\nfor i in range(40):\n  x.extend(x)",
		"x = [[1] * 1000000 for i in range(1000)]",
		"x = [1]\nfor i in range(60):\n  x = [x, x]\nresult = x",
		"x = [1]\nfor i in range(60):\n  x = [x, x]\nstr(x)",
		"x = (1,)\nfor i in range(60):\n  x = (x, x)\ny = {x: 1}",
		"x = (1,)\nfor i in range(60):\n  x = (x, x)\ny = {}\ny[x] = 1",
		"x = (1,)\nfor i in range(60):\n  x = (x, x)\ny = x == x",
		"x = [1]\nfor i in range(9):\n  x = [x] * 1000\ny = x == [1]\nz = x == x",
		`x = list(range(1 << 40))`, `x = sorted(range(1 << 40))`, `x = max(range(1 << 40))`, `x = any(range(1 << 40))`,
		`x = dict(zip(range(1 << 30), range(1 << 30)))`, `x = len(*range(1 << 30))`, `x = [0] * (1 << 40)`,
		"x = \"a\" * 1000000\nfor i in range(1000):\n  x = x.replace(\"a\", x)",
		"x = \"a\" * 1000000\ny = [x] * 1000000\nz = \"\".join(y)",
		"x = \"{0}\" * 100000\ny = x.format(\"a\" * 100000)",
		"x = \"%s\" * 10000\ny = x % tuple([\"a\" * 1000000] * 10000)",
		"x = (\"a,\" * 10000000).split(\",\")\ny = [x.count(\"a\") for i in range(100000)]",
		"x = 3\nfor i in range(100):\n  x = x * x", "x = 1\nfor i in range(100000):\n  x = x << 500",
		`x = int("9" * 10000000)`, `x = sorted(["a"] * 1000000, key = ("b" * 1000000).join)`,
		`x = sorted([["a"] * 1000] * 5, ("b" * 100000).join)`,
		"x = []\nfor i in range(200000):\n  x.append({})", "x = []\nfor i in range(200000):\n  x.append([x] * 100)",
		"x = {}\nfor i in range(10000):\n  x = {\"a\": x}\nstr(x)", "x = []\nfor i in range(1000000):\n  x = [x]\nresult = x",
		`x = json_decode("[" * 1000000)`, `x = json_decode("[" + "{}," * 5000000 + "1]")`, `x = json_decode("9" * 5000000)`,
		"x = []\nx.append(x)\nresult = x", "x = []\nx.append(x)\ny = x == [x]\nz = str(x)",
		strings.Repeat("(", 16000), strings.Repeat("[", 16000), "x = " + strings.Repeat("-", 16000) + "1", "x = " + strings.Repeat("not ", 4000) + "1",
		"x = " + strings.Repeat("lambda:", 2000) + "1", "x = " + strings.Repeat("1 if 1 else ", 1300) + "1", "x = 1" + strings.Repeat("+1", 8000),
		"for a in range(1000):\n  for b in range(1000):\n    for c in range(1000):\n      pass",
	}
}

// TestRun_bounded: whatever a program does, it ends in time, and the memory that
// it takes is bounded.
func TestRun_bounded(t *testing.T) {
	const most = 200 << 20
	var peak atomic.Uint64
	watch, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for watch.Err() == nil {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapAlloc))
			time.Sleep(2 * time.Millisecond)
		}
	}()
	for _, source := range greedy() {
		runtime.GC()
		peak.Store(0)
		began := time.Now()
		_, err := run(t, source, program.DefaultLimits())
		took, name := time.Since(began), source[:min(len(source), 90)]
		t.Logf("%7.0f ms %5d MiB %q: %.100v", took.Seconds()*1000, peak.Load()>>20, name, err)
		if took > 20*time.Second || peak.Load() > most {
			t.Errorf("%q took %v and %d MiB", name, took, peak.Load()>>20)
		}
	}
}

// TestRun_ends: a program ends with its context, in a call and outside of one.
func TestRun_ends(t *testing.T) {
	t.Parallel()
	for _, source := range []string{`call("waits")`, `parallel([("waits", {})] * 20)`, "for a in range(1000):\n  for b in range(1000):\n    for c in range(1000):\n      pass"} {
		p, err := program.Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		late := errors.New("it took too long")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, late)
		l := program.DefaultLimits()
		l.Steps = 1 << 40
		var running atomic.Int32
		_, err = p.Run(ctx, l, func(ctx context.Context, _ program.Call) (program.Answer, error) {
			if n := running.Add(1); n > 8 {
				t.Errorf("%d calls at once", n)
			}
			defer running.Add(-1)
			<-ctx.Done()
			return program.Answer{}, ctx.Err()
		})
		cancel()
		if err == nil || !strings.Contains(err.Error(), late.Error()) || running.Load() != 0 {
			t.Errorf("%q ended with %v, %d calls go on", source, err, running.Load())
		}
	}
}

// TestRun_own: a call is the program's own before any tool has answered, and after
// that where it stands in the program with all its arguments, and is made whatever
// they answered.
func TestRun_own(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`call("a", {"n": 1})`: "a",
		`x = call("a"); call("b", {"n": -1, "l": [True, None]})`: "a b",
		`x = call("a"); call("b", n = "x")`:                      "a b",
		`x = call("a"); parallel([("b", {"n": 1}), ("c", {})])`:  "a b c",
		`x = call("a"); call("b", {"n": x["tool"]})`:             "a",
		`x = call("a"); n = "a"; call("b", {"n": n})`:            "a",
		`x = call("a"); call("b", {"n": "a" + "b"})`:             "a",
		`x = call("a")
if x["tool"] == "a":
    call("b", {"n": 1})`: "a",
		`x = call("a")
for i in range(2):
    call("b", {"n": 1})`: "a",
		`x = call("a"); y = [call("b", {"n": 1}) for i in range(2)]`: "a",
		`x = call("a"); y = x and call("b", {"n": 1})`:               "a",
		`x = call("a"); y = call("b") if x else 1`:                   "a",
		`def f():
    call("b", {"n": 1})
x = call("a")
f()`: "a",
		`def f(n):
    call("b", {"n": n})
x = call("a")
f(1)`: "a",
		`f = call; x = call("a"); f("b")`:                        "a b", // another name of the same
		`x = call("a"); y = [call("c", {"n": 1})][0]; call("b")`: "a b c",
	} {
		p, err := program.Parse(source + "\nresult = 1")
		if err != nil {
			t.Errorf("%q: %v", source, err)
			continue
		}
		var mu sync.Mutex
		var own []string
		_, err = p.Run(t.Context(), program.DefaultLimits(), func(ctx context.Context, k program.Call) (program.Answer, error) {
			mu.Lock()
			defer mu.Unlock()
			if k.Own {
				own = append(own, k.Name)
			}
			return echo(ctx, k)
		})
		slices.Sort(own)
		if got := strings.Join(own, " "); err != nil || got != want {
			t.Errorf("%q: own are %q, want %q; %v", source, got, want, err)
		}
	}
	if _, err := program.Parse(`True = call("a")`); err == nil {
		t.Error("a program may give True another meaning")
	}
}

// TestRun_measuresAtOnce: an answer is measured when it arrives, so that a program
// that may not hold two of them does not hold ten.
func TestRun_measuresAtOnce(t *testing.T) {
	t.Parallel()
	p, err := program.Parse(`parallel([("t", {})] * 10)`)
	if err != nil {
		t.Fatal(err)
	}
	l := program.DefaultLimits()
	l.AtOnce, l.Bytes = 1, 1<<20
	calls := 0
	_, err = p.Run(t.Context(), l, func(context.Context, program.Call) (program.Answer, error) {
		calls++
		return program.Answer{Text: strings.Repeat("x", 600_000)}, nil
	})
	if err == nil || calls > 2 {
		t.Errorf("after %d calls it ends with %v", calls, err)
	}
}

// TestAsk: questions of calls that are made at once come one after the other, and
// the time that the user takes does not count.
func TestAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, err := program.Parse(`result = parallel([("t", {})] * 3)`)
		if err != nil {
			t.Fatal(err)
		}
		l := program.DefaultLimits()
		var asking atomic.Int32
		began := time.Now()
		out, err := p.Run(t.Context(), l, func(ctx context.Context, k program.Call) (program.Answer, error) {
			err := program.Ask(ctx, func() error {
				if asking.Add(1) > 1 {
					t.Error("two questions at once")
				}
				time.Sleep(l.Time) // the user thinks
				asking.Add(-1)
				return nil
			})
			if err != nil {
				return program.Answer{}, err
			}
			time.Sleep(l.Time / 2)
			return program.Answer{Text: "done"}, nil
		})
		if want := 3*l.Time + l.Time/2; err != nil || out != `["done","done","done"]` || time.Since(began) != want {
			t.Errorf("%s, %v after %v, want %v", out, err, time.Since(began), want)
		}
		_, err = p.Run(t.Context(), l, func(ctx context.Context, k program.Call) (program.Answer, error) {
			<-ctx.Done()
			return program.Answer{}, context.Cause(ctx)
		})
		if err == nil || !strings.Contains(err.Error(), "took longer than 5m0s") {
			t.Errorf("a program that waits ends with %v", err)
		}
	})
}

// pieces are what FuzzRun's programs are made of.
var pieces = []string{
	"x = ", "y = ", "x += ", "x", "y", "[x, y]", "(x, y)", "{x: y}", "{\"a\": x}", "\"a\"", "3", "1 << 40", " + ", " * ", " % ", " == ", " in ", " | ",
	"\n", "\nfor i in range(50):\n  ", "\nif x:\n  ", "\ndef f(a, b = x):\n  return a", "f(x, y)", "str(x)", "sorted(x)", "list(x)", "x.join(y)",
	"x.replace(\"a\", y)", "x.split(y)", "x.format(y)", "x.append(x)", "x.update(y)", "x[0]", "x[y]", "x[1:]", "call(x, y)", "parallel([(x, y)])",
	"call(\"t\", {\"a\": x})", "json_encode(x)", "json_decode(x)", "dict(x)", "zip(x, y)", "lambda: x", "not x", "-x", "[i for i in x]", "{i: i for i in x}", "result = x",
}

// FuzzRun runs arbitrary texts, and programs made of pieces: none may crash, run on,
// call what was not named, or make more than it may.
func FuzzRun(f *testing.F) {
	for _, source := range greedy() {
		f.Add(source, uint64(0))
	}
	for seed := range uint64(50) {
		f.Add("", seed+1)
	}
	f.Fuzz(func(t *testing.T, source string, seed uint64) {
		if seed > 0 {
			r := rand.New(rand.NewPCG(seed, 1))
			for range 5 + r.IntN(60) {
				source += pieces[r.IntN(len(pieces))]
			}
		}
		p, err := program.Parse(source)
		if err != nil {
			return
		}
		l := program.Limits{Steps: 20_000, Bytes: 4 << 20, Work: 4 << 20, Calls: 20, AtOnce: 4, Output: 1 << 16}
		var calls atomic.Int32
		began := time.Now()
		out, err := p.Run(t.Context(), l, func(ctx context.Context, k program.Call) (program.Answer, error) {
			calls.Add(1)
			if !json.Valid(k.Arguments) || k.Arguments[0] != '{' {
				t.Errorf("%q is called with %q", k.Name, k.Arguments)
			}
			return echo(ctx, k)
		})
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
		if len(out) > l.Output || int(calls.Load()) > l.Calls {
			t.Errorf("%d bytes, %d calls", len(out), calls.Load())
		}
		var located *program.Error
		if err != nil && errors.As(err, &located) && (located.Line < 1 || located.Line > strings.Count(source, "\n")+1) {
			t.Errorf("line %d of %d: %v", located.Line, strings.Count(source, "\n")+1, err)
		}
		if slices.Contains([]string{"panic"}, out) {
			t.Log(out)
		}
	})
}
