package evaluate

import (
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed testdata/small
var small embed.FS

// arguments holds the command's flags.
type arguments struct {
	data, distractors, baseline string
	only, sets, models, unseen  string
	saveTo, paired, alone       string
	limit, fill                 int
	ablate, asJSON              bool
	perSet, perKind             bool
}

func parse(args []string) (arguments, error) {
	var a arguments
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	flags.StringVar(&a.data, "data", "", "folder with one set, or with a folder for each; empty takes the small set that ships")
	flags.StringVar(&a.distractors, "distractors", "", "a tools.jsonl whose tools are added to every set")
	flags.IntVar(&a.fill, "fill", 0, "made-up tools are added until every set has this many; 0 adds none")
	flags.StringVar(&a.baseline, "baseline", "bm25", "the ranker that others are compared with")
	flags.StringVar(&a.only, "rankers", "", "rankers to measure, separated by commas; empty takes all")
	flags.StringVar(&a.sets, "sets", "", "sets to measure on, separated by commas; empty takes all")
	flags.IntVar(&a.limit, "limit", 0, "the most messages taken of a set, evenly spread; 0 takes all")
	flags.BoolVar(&a.ablate, "ablate", false, "also measure the ranker with each part switched off")
	flags.StringVar(&a.alone, "alone", "", "parts, named as -ablate does without the hyphen and separated by commas: also measure the ranker without all of them, and with each of them alone")
	flags.BoolVar(&a.perSet, "per-set", false, "also print the figures of every set")
	flags.BoolVar(&a.perKind, "per-kind", false, "also print the figures of every kind of message, where a set tells them")
	flags.StringVar(&a.models, "models", "", "files of other embedding models, separated by commas: the ranker is also measured with each, named by its file")
	flags.StringVar(&a.unseen, "unseen", "", "servers whose phrasings are left out, named as in ranker/bank/servers: a JSON list in a file, or names separated by commas")
	flags.StringVar(&a.saveTo, "save", "", "a file to which the figures of every message are written, for -paired of another version")
	flags.StringVar(&a.paired, "paired", "", "a file of -save: its rankers are reported too, each named with \"before \" in front, also as -baseline")
	flags.BoolVar(&a.asJSON, "json", false, "print JSON")
	return a, flags.Parse(args)
}

// Run measures according to the arguments and writes the report to out. more contenders
// are measured besides the product and its baselines.
func Run(args []string, out io.Writer, more ...Contender) error {
	a, err := parse(args)
	if err != nil {
		return err
	}
	sets, err := a.readSets()
	if err != nil {
		return err
	}
	list, err := a.contenders(more)
	if err != nil {
		return err
	}
	r := newReport(sets, a.baseline)
	for _, c := range list {
		results := make([]result, len(sets))
		for i, s := range sets {
			results[i] = measure(c, s)
		}
		r.add(c.Name, results)
	}
	if a.saveTo != "" {
		if err := r.save(a.saveTo); err != nil {
			return err
		}
	}
	if a.paired != "" {
		if err := r.addSaved(a.paired); err != nil {
			return err
		}
	}
	if r.base() == nil {
		return fmt.Errorf("no ranker named %q to compare with", a.baseline)
	}
	if a.asJSON {
		return r.writeJSON(out)
	}
	return r.writeText(out, a.perSet, a.perKind)
}

func (a *arguments) readSets() ([]*set, error) {
	folder := a.data
	if folder == "" {
		unpacked, err := unpack(small)
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(unpacked)
		folder = unpacked
	}
	sets, err := readSets(folder, a.limit)
	if err != nil {
		return nil, err
	}
	if a.sets != "" {
		names := strings.Split(a.sets, ",")
		sets = slices.DeleteFunc(sets, func(s *set) bool { return !slices.Contains(names, s.name) })
	}
	for _, s := range sets {
		if a.distractors != "" {
			if err := s.addDistractors(a.distractors); err != nil {
				return nil, err
			}
		}
		s.fill(a.fill)
	}
	return sets, nil
}

// readNames reads a list of names from a JSON file, or a comma-separated list.
func readNames(list string) ([]string, error) {
	if filepath.Ext(list) != ".json" {
		return strings.FieldsFunc(list, func(r rune) bool { return r == ',' }), nil
	}
	data, err := os.ReadFile(list)
	if err != nil {
		return nil, fmt.Errorf("read names of servers: %w", err)
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return nil, fmt.Errorf("names of servers in %s: %w: want a JSON list of strings", list, err)
	}
	return names, nil
}

// unpack writes the embedded set to a temporary folder, so that all sets are read alike.
func unpack(files fs.FS) (string, error) {
	folder, err := os.MkdirTemp("", "winnow-eval")
	if err != nil {
		return "", fmt.Errorf("unpack the small set: %w", err)
	}
	inner, err := fs.Sub(files, "testdata")
	if err == nil {
		err = os.CopyFS(folder, inner)
	}
	if err != nil {
		return "", fmt.Errorf("unpack the small set to %s: %w", filepath.Base(folder), err)
	}
	return folder, nil
}

// contenders returns the rankers to measure, always including the baseline.
func (a *arguments) contenders(more []Contender) ([]Contender, error) {
	unseen, err := readNames(a.unseen)
	if err != nil {
		return nil, err
	}
	knows, err := load(unseen)
	if err != nil {
		return nil, err
	}
	list := contenders(knows, a.ablate)
	chosen, err := partsNamed(a.alone)
	if err != nil {
		return nil, err
	}
	alone := eachAlone(chosen, knows)
	others, err := withModels(a.models, knows, chosen)
	if err != nil {
		return nil, err
	}
	list = slices.Concat(list, others, alone, more)
	known := func(c Contender) bool { return c.Name == a.baseline }
	if !slices.ContainsFunc(list, known) && (a.paired == "" || !strings.HasPrefix(a.baseline, before)) {
		return nil, fmt.Errorf("no ranker named %q to compare with", a.baseline)
	}
	if a.only == "" {
		return list, nil
	}
	names := append(strings.Split(a.only, ","), a.baseline)
	for _, c := range slices.Concat(alone, others) {
		names = append(names, c.Name)
	}
	return slices.DeleteFunc(list, func(c Contender) bool { return !slices.Contains(names, c.Name) }), nil
}
