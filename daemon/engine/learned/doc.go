// Package learned is what the daemon remembers between its runs, in the host's
// storage path: which tools were called lately ([Uses]), which ones models had
// to load by themselves ([Misses]), which MCP clients list their tools anew
// ([Clients]), what texts cost ([TokenCounts]), and what routing saved in this
// week ([Savings]).
//
// It holds nothing that anybody typed and no argument, and all of it can be
// lost: a file that cannot be read is begun anew, and without a storage path
// everything lives as long as the daemon. What servers listed, their results
// and vectors are kept by the packages upstream, results and embed.
package learned
