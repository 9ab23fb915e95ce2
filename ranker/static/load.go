package static

import (
	_ "embed" // for the model file
	"sync"
)

// modelFile is the embedded model. It is a string, so that it stays in the
// binary's read-only pages: rows are read from it in place.
//
//go:embed static-256d-20k-int8.sem
var modelFile string

// modelSHA256 pins modelFile, and its first digits are part of [Model.Name]. It is a
// constant because hashing 5 MB would take most of the loading time; a test verifies it.
const modelSHA256 = "14892b5e6acc5703300ce0aa811e3c7dc9575c4898593ed54a4fe64110deb2bd"

// modelName is the model's name without its version.
const modelName = "static-256d-20k-int8"

// loadOnce parses the embedded file on first use. All callers share the same immutable
// model.
var loadOnce = sync.OnceValues(func() (*Model, error) {
	return Parse(modelName+"-"+modelSHA256[:12], modelFile)
})

// Load returns the built-in model. The first call parses it, in a few
// milliseconds; later calls return the same model. An error means that the
// binary was built with a damaged model file.
func Load() (*Model, error) { return loadOnce() }
