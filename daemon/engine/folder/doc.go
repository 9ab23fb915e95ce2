// Package folder determines which servers the names in the workspace's folders suggest: a
// Chart.yaml suggests Kubernetes, a dependency on mongodb suggests MongoDB, and the host
// of a git remote suggests that host's server. [Folder] reads only the names of files,
// dependencies and hosts, and only in trusted folders. Package ranker/bank maps names to
// servers.
package folder
