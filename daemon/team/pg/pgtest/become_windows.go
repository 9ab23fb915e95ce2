package pgtest

import "errors"

// become is only needed for root, which Windows does not have.
func (*Cluster) become(string) error { return errors.ErrUnsupported }
