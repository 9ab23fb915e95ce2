// Package ijson is the boundary for JSON that other programs wrote. Decoders
// disagree about text that RFC 8259 leaves open: a lone surrogate such as
// "\ud83d", bytes that are no UTF-8, a name that an object has twice. One
// accepts it and passes it on, the next refuses the whole message in which it
// has come to lie. [Normalize] turns such text into I-JSON (RFC 7493), about
// which all agree. It is called once, where a message comes in; everything
// behind it can be decoded and encoded by any decoder.
//
// [Members] and [ReplaceString] look into one object without decoding it, also
// where something in it is no JSON. [Each] reads an object that is JSON, its
// members by their exact names: the decoder of the standard library takes
// `Description` for `description`, and what is locked, scanned and sent to models
// would be another member than the one that the next program reads.
package ijson
