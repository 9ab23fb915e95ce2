package launcher

// Lasting is for tests.
var Lasting = lasting
