// Package evaluate measures rankers on sets of messages with the tools they
// need: it reads the sets, runs the contenders, judges their answers and
// writes the report. Commands eval and eval/peers are its only users; the
// product does not contain it.
package evaluate
