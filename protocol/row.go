package protocol

// Row is a row of a list as an editor shows it: what VS Code's TreeItem holds.
// The texts are for people, and may be worded otherwise in any version.
type Row struct {
	// Label is what is seen first. Name is the whole of it, where it is shortened.
	Label string `json:"label"`
	Name  string `json:"name,omitzero"`
	// Description stands after the label, dimmed.
	Description string `json:"description,omitzero"`
	// Tooltip is Markdown, with product icons as $(name).
	Tooltip string `json:"tooltip,omitzero"`
	Icon    *Icon  `json:"icon,omitzero"`
	// Context says what can be done with it, for an editor's menus: words between
	// dots, as in `server.own.ready`. It is VS Code's contextValue.
	Context string `json:"context,omitzero"`
	// Checked is there where the row has a checkbox, with what that does.
	Checked         *bool  `json:"checked,omitzero"`
	CheckboxTooltip string `json:"checkboxTooltip,omitzero"`
	// Accessibility is what a screen reader says: all that the eye sees.
	Accessibility string `json:"accessibility"`
}

// Icon is one of VS Code's product icons, in a colour of the theme.
type Icon struct {
	ID string `json:"id"`
	// Color is empty for the colour of the text.
	Color string `json:"color,omitzero"`
}
