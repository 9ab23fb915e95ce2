// Package replay replays conversations that clients have stored, and reports which of the
// called tools each message would have attached and what the requests would have cost.
//
// It drives the engine with the requests of stateless hosts, as the proxy does, message
// by message in the order of their times, with a clock that shows those times. The engine
// starts without learned data and stores nothing. No model is called: a recorded call is
// taken as made, and a tool that the model did not have in full is taken as requested
// with mcp_load.
//
// Nothing is sent anywhere. Embedding providers and gating servers are disabled, and no
// server is started.
package replay
