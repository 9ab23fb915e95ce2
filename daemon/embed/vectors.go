package embed

// Vectors holds the vectors of one catalogue version, all of one space. It is
// immutable.
type Vectors struct {
	texts *texts
	space Space
	rows  [][]float32
}

// Version is the catalogue version, as given to [Store.SetTexts].
func (v *Vectors) Version() uint64 { return v.texts.version }

// Space is the space of all rows. Its Dim is known, unless there is no row.
func (v *Vectors) Space() Space { return v.space }

// Len is the number of texts.
func (v *Vectors) Len() int { return len(v.rows) }

// Rows are the unit-length vectors by the texts' ordinals, nil where a text was
// blank or the provider refused it. They must not be changed.
func (v *Vectors) Rows() [][]float32 { return v.rows }

// Row is one of [Vectors.Rows].
func (v *Vectors) Row(i int) []float32 { return v.rows[i] }
