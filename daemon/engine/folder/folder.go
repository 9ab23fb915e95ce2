package folder

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/bank"
)

const (
	// staleAfter is the age at which the result is refreshed when it is requested. The
	// request does not wait. Without requests the folders are not read.
	staleAfter = 5 * time.Second
	// maxFolders is how many folders are listed, including those in the roots, and
	// maxNames how many names of each are used.
	maxFolders, maxNames = 40, 2000
)

// Options configures a [Folder].
type Options struct {
	// Roots returns the paths of the workspace's folders, or none before it is trusted.
	Roots func() []string
	// On reports whether the feature is enabled.
	On  func() bool
	Now func() time.Time
}

// Folder determines which servers the workspace's folders suggest. It is safe for concurrent use;
// only Run and Look read files.
type Folder struct {
	options Options
	wake    chan struct{} // capacity one
	known   atomic.Pointer[known]
}

// known is the latest result.
type known struct {
	at       time.Time
	roots    string
	families []ranker.Family
}

// New returns a folder without a result until Run.
func New(o Options) *Folder {
	f := &Folder{options: o, wake: make(chan struct{}, 1)}
	f.known.Store(&known{})
	return f
}

// Families returns the families of servers that the folders suggest, strongest first. It
// does not block; the result may be some seconds old.
func (f *Folder) Families() []ranker.Family {
	if !f.options.On() {
		return nil
	}
	k, roots := f.known.Load(), strings.Join(f.options.Roots(), "\n")
	if k.roots != roots || f.options.Now().Sub(k.at) > staleAfter {
		select {
		case f.wake <- struct{}{}:
		default:
		}
	}
	if k.roots != roots {
		return nil // of other folders, or of these while they were trusted
	}
	return k.families
}

// Run refreshes the result when it is requested and old, until ctx ends.
func (f *Folder) Run(ctx context.Context) {
	for {
		if f.options.On() {
			f.Look(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		}
	}
}

// Look reads the folders now.
func (f *Folder) Look(ctx context.Context) {
	roots := f.options.Roots()
	var clues []bank.Clue
	for _, root := range roots {
		clues = append(clues, cluesIn(ctx, root)...)
	}
	next := &known{at: f.options.Now(), roots: strings.Join(roots, "\n")}
	for _, s := range bank.SpeakFor(clues) {
		next.families = append(next.families, ranker.Family{Name: s.Family, Evidence: s.Evidence})
	}
	f.known.Store(next)
}

// cluesIn returns the names in a root and in its folders that may suggest servers.
func cluesIn(ctx context.Context, root string) []bank.Clue {
	var clues []bank.Clue
	dirs := []string{root}
	for i := 0; i < len(dirs) && i < maxFolders && ctx.Err() == nil; i++ {
		for _, entry := range namesIn(dirs[i]) {
			name := entry.Name()
			path := filepath.Join(dirs[i], name)
			switch {
			case entry.IsDir():
				if i == 0 && !strings.HasPrefix(name, ".") && !isOthers(name) {
					dirs = append(dirs, path)
				}
				name += "/"
			case entry.Type().IsRegular():
				for _, dependency := range dependenciesIn(path) {
					clues = append(clues, bank.Clue{Kind: bank.DependencyClue, Name: dependency, Evidence: "this folder's " + name + " has " + dependency})
				}
			}
			clues = append(clues, bank.Clue{Kind: bank.FileClue, Name: name, Evidence: "this folder has " + strings.TrimSuffix(name, "/")})
		}
	}
	for _, host := range remotesIn(root) {
		clues = append(clues, bank.Clue{Kind: bank.HostClue, Name: host, Evidence: "this folder's git remote is at " + host})
	}
	return clues
}

// namesIn lists a folder; the result is empty if it cannot be read.
func namesIn(dir string) []os.DirEntry {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(maxNames) // entries before an error are used
	return entries
}

// isOthers reports whether a folder of that name holds other people's code.
func isOthers(name string) bool {
	switch name {
	case "node_modules", "vendor", "dist", "build", "out", "target", "venv", "testdata":
		return true
	}
	return false
}
