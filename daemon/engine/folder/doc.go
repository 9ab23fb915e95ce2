// Package folder determines which servers the workspace's folders support: a Chart.yaml
// supports Kubernetes, a dependency on mongodb supports MongoDB, and so does a git
// remote's host. [Folder] reads only the names of files, dependencies and hosts, and only
// in trusted folders. Package ranker/bank maps names to servers.
package folder
