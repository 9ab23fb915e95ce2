package ranker_test
import ("fmt";"strings";"syscall";"testing"
 "github.com/winnow-mcp/winnow/ranker";"github.com/winnow-mcp/winnow/ranker/internal/synthetic")
func cpu() float64 { var r syscall.Rusage; syscall.Getrusage(syscall.RUSAGE_SELF,&r); return float64(r.Utime.Sec)*1e6+float64(r.Utime.Usec) }
func BenchmarkCPU(b *testing.B) {
 ms := synthetic.Messages(64, 1)
 for _, n := range []int{1_000, 5000, 50_000} {
  var r ranker.Ranker
  b.Run(fmt.Sprint(n), func(b *testing.B) {
   if r==nil { r = ranker.NewCorpus(synthetic.Catalogue(n, 1), nil, builtin(b)...).Ranker(ranker.Auto); r.Rank(ranker.Query{Text: ms[0]}) }
   b.ResetTimer(); c:=cpu()
   for i:=range b.N { r.Rank(ranker.Query{Text: ms[i%64], Limit: 30}) }
   b.ReportMetric((cpu()-c)/float64(b.N),"cpu-µs")
  })
 }
 log := strings.Repeat("2026-11-21T04:00:00Z ERROR worker[12] could not read /var/log/x.log: EOF\n", 40)
 r := ranker.NewCorpus(synthetic.Catalogue(1_000, 1), nil, builtin(b)...).Ranker(ranker.Auto)
 for name, text := range map[string]string{"log": ms[0] + "\n\n" + log[:2_900],"prose": strings.Join(ms, ", ")[:3_000]} {
  b.Run(name, func(b *testing.B) {
   r.Rank(ranker.Query{Text: text, Limit: 30}); c:=cpu()
   for b.Loop() { r.Rank(ranker.Query{Text: text, Limit: 30}) }
   b.ReportMetric((cpu()-c)/float64(b.N),"cpu-µs")
  })
 }
}
