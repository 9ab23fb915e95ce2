package terminal

// Printable is for tests.
var Printable = printable
