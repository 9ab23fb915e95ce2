// Package folder knows which servers the workspace's folders speak for: a
// Chart.yaml for Kubernetes, a dependency on mongodb for MongoDB, the host of a git
// remote. [Folder] reads names of files, of dependencies and of hosts, no other text,
// and never in a folder that is not trusted. What the names speak for is written in
// ranker/bank.
package folder
