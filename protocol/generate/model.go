package main

import "reflect"

// Package is what the generator knows of package protocol.
type Package struct {
	// Types are the exported types, in the order of the source.
	Types []*Type
	// Constants are the exported constants without a type of their own.
	Constants []Value
}

// Type looks up a type by name; nil when there is none.
func (p *Package) Type(name string) *Type {
	for _, t := range p.Types {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Kind is the form of a declared type.
type Kind int

// The forms that the generator knows.
const (
	// Struct is an object with Fields.
	Struct Kind = iota
	// StringEnum is one of the strings in Values.
	StringEnum
	// IntEnum is one of the integers in Values.
	IntEnum
	// Opaque is declared as any; each field that uses it says in its tags
	// which forms it may take.
	Opaque
)

// Type is one declared type.
type Type struct {
	Name string
	// Doc is the doc comment, without the comment marks.
	Doc    string
	Kind   Kind
	Fields []Field
	Values []Value
}

// Field is one field of a struct.
type Field struct {
	// JSON is the field's name on the wire; empty for an embedded struct.
	JSON string
	Doc  string
	Type *Ref
	// Optional fields may be left out.
	Optional bool
	Tag      reflect.StructTag
}

// Embedded reports whether the field is an embedded struct, whose fields stand
// beside its siblings on the wire.
func (f Field) Embedded() bool { return f.JSON == "" }

// Value is one constant.
type Value struct {
	// Name is the Go name.
	Name string
	Doc  string
	// Type is the declared type; empty when the constant has none.
	Type string
	// Literal is the value as JSON.
	Literal string
}

// Form is the JSON form of a reference.
type Form int

// The JSON forms.
const (
	String Form = iota
	Boolean
	Integer
	Number
	// Null is JSON's null, in a OneOf.
	Null
	// Any is json.RawMessage and any: whatever JSON there is.
	Any
	// Named refers to a declared type.
	Named
	// List has elements in order.
	List
	// Map has string keys in no order.
	Map
	// Nullable is a pointer.
	Nullable
	// OneOf is any of the forms in Alts.
	OneOf
)

// Ref is the use of a type.
type Ref struct {
	Form Form
	// Name is the declared type's, for Named.
	Name string
	// Elem is the element's type, for List, Map and Nullable.
	Elem *Ref
	// Alts are the forms of OneOf.
	Alts []*Ref
}

// walk calls visit for the reference and all that it is made of.
func (r *Ref) walk(visit func(*Ref)) {
	visit(r)
	if r.Elem != nil {
		r.Elem.walk(visit)
	}
	for _, alt := range r.Alts {
		alt.walk(visit)
	}
}

// refs calls visit for every reference that the type makes.
func (t *Type) refs(visit func(*Ref)) {
	for _, f := range t.Fields {
		f.Type.walk(visit)
	}
}
