package daemon

import "maps"

// hostToolNames maps the names that a server has for its tools to those by
// which hosts know them. It is empty for a server that no host has.
func (w *workspace) hostToolNames(server string) map[string]string {
	w.hostMu.Lock()
	defer w.hostMu.Unlock()
	names := map[string]string{}
	for _, servers := range w.hostServers {
		for _, s := range servers {
			if s.Name == server {
				maps.Copy(names, s.HostNames)
			}
		}
	}
	return names
}
