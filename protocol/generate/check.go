package main

import (
	"errors"
	"fmt"
	"slices"
)

// checkPackage fails when the declarations and the method table do not fit
// together, or would be mirrored by guess.
func checkPackage(pkg *Package, rows []Row) error {
	wire := pkg.reach(wireNames(rows))
	files := pkg.reach([]string{fileRoot})
	return errors.Join(
		checkTable(pkg, rows),
		checkReachable(pkg, wire, files),
		checkRefs(pkg),
		checkMaps(wire),
		checkValues(pkg),
	)
}

// fileRoot is the type of Winnow's own configuration file.
const fileRoot = "WinnowFile"

// wireNames are the names of the types that hosts need: those that messages
// begin with, what an error carries, and the settings.
func wireNames(rows []Row) []string {
	names := []string{"Code", "ErrorData", "Settings"}
	for _, row := range rows {
		names = append(names, row.Params)
		if row.Result != "" {
			names = append(names, row.Result)
		}
	}
	return names
}

// reach returns the declared types that the named ones are made of, in the
// order of the source. Names that nobody declares are left to checkRefs.
func (p *Package) reach(names []string) []*Type {
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		t := p.Type(name)
		if t == nil || seen[name] {
			return
		}
		seen[name] = true
		t.refs(func(r *Ref) { visit(r.Name) })
	}
	for _, name := range names {
		visit(name)
	}
	var reached []*Type
	for _, t := range p.Types {
		if seen[t.Name] {
			reached = append(reached, t)
		}
	}
	return reached
}

// checkTable fails unless the rows and the constants name the same methods.
func checkTable(pkg *Package, rows []Row) error {
	names, err := pkg.methodNames()
	errs := []error{err}
	seen := map[string]bool{}
	for _, row := range rows {
		if _, ok := names[row.Method]; !ok {
			errs = append(errs, fmt.Errorf("method %s has a row in Methods but no constant", row.Method))
		}
		if seen[row.Method] {
			errs = append(errs, fmt.Errorf("method %s has two rows in Methods", row.Method))
		}
		seen[row.Method] = true
		for _, name := range []string{row.Params, row.Result} {
			if name != "" && pkg.Type(name) == nil {
				errs = append(errs, fmt.Errorf("method %s uses %s, which package protocol does not declare", row.Method, name))
			}
		}
	}
	for method, name := range names {
		if !seen[method] {
			errs = append(errs, fmt.Errorf("constant %s%s has no row in Methods", methodPrefix, name))
		}
	}
	return errors.Join(errs...)
}

// checkReachable fails for a type that no message and no file is made of.
func checkReachable(pkg *Package, groups ...[]*Type) error {
	var errs []error
	for _, t := range pkg.Types {
		used := t.Kind == Opaque || t.Name == directionType || t.Name == ruleType ||
			slices.ContainsFunc(groups, func(group []*Type) bool { return slices.Contains(group, t) })
		if !used {
			errs = append(errs, fmt.Errorf("type %s is in no message and no file; remove it, or use it", t.Name))
		}
	}
	return errors.Join(errs...)
}

// checkRefs fails for uses that have no meaning in the mirrors.
func checkRefs(pkg *Package) error {
	var errs []error
	for _, t := range pkg.Types {
		if (t.Kind == StringEnum || t.Kind == IntEnum) && len(t.Values) == 0 {
			errs = append(errs, fmt.Errorf("type %s has no constants; use a plain string or integer", t.Name))
		}
		t.refs(func(r *Ref) {
			if r.Form != Named {
				return
			}
			switch used := pkg.Type(r.Name); {
			case used == nil:
				errs = append(errs, fmt.Errorf("type %s uses %s, which package protocol does not declare", t.Name, r.Name))
			case used.Kind == Opaque:
				errs = append(errs, fmt.Errorf("type %s uses %s without a types or values tag", t.Name, r.Name))
			}
		})
	}
	return errors.Join(errs...)
}

// checkMaps fails for a map of objects on the wire: a list of named things
// keeps its order, and the order of the catalogue matters.
func checkMaps(wire []*Type) error {
	var errs []error
	for _, t := range wire {
		t.refs(func(r *Ref) {
			if r.Form == Map && r.Elem.Form == Named {
				errs = append(errs, fmt.Errorf("type %s has a map of %s, which loses the order; use a list", t.Name, r.Elem.Name))
			}
		})
	}
	return errors.Join(errs...)
}

// checkValues fails for two constants of a type with one value.
func checkValues(pkg *Package) error {
	var errs []error
	for _, t := range pkg.Types {
		names := map[string]string{}
		for _, v := range t.Values {
			if other, ok := names[v.Literal]; ok {
				errs = append(errs, fmt.Errorf("constants %s and %s are both %s", other, v.Name, v.Literal))
			}
			names[v.Literal] = v.Name
		}
	}
	return errors.Join(errs...)
}
