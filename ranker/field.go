package ranker

// field is a part of a document that is indexed by itself.
type field uint8

const (
	fieldServer field = iota
	fieldName
	fieldTitle
	fieldDescription
	fieldParameter
	fieldParameterText
	// fieldPhrasing is what people say when they need the tool. It comes from the bank,
	// not from the document.
	fieldPhrasing
	fieldCount
)

// String returns the field's name in an explanation.
func (f field) String() string {
	return [fieldCount]string{
		"server", "name", "title", "description", "parameter", "parameter description", "often asked as",
	}[f]
}

// eachText calls yield for every text of the document with its field.
func (d *Document) eachText(yield func(f field, text string)) {
	yield(fieldServer, d.Server)
	yield(fieldName, d.Name)
	yield(fieldTitle, d.Title)
	yield(fieldDescription, d.Description)
	for i := range d.Parameters {
		yield(fieldParameter, d.Parameters[i].Name)
		yield(fieldParameterText, d.Parameters[i].Description)
	}
}
