package embed

// Vectors holds the vectors of one catalogue version, all of one space. It is
// immutable.
type Vectors struct {
	texts *texts
	space Space
	rows  [][]float32
}

// Version returns the catalogue version, as given to [Store.SetTexts].
func (v *Vectors) Version() uint64 { return v.texts.version }

// Space returns the space of all rows. Its Dim is known, unless there is no row.
func (v *Vectors) Space() Space { return v.space }

// Rows returns the unit vectors by the texts' ordinals, nil for a text that was blank or
// refused by the provider. Callers must not modify them.
func (v *Vectors) Rows() [][]float32 { return v.rows }
