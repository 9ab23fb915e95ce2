package pgtest

import "errors"

// become is for root, whom Windows does not have.
func (*Cluster) become(string) error { return errors.ErrUnsupported }
