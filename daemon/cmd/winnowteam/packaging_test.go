//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
)

// What is shipped to run a team is decoded strictly: a field that these types lack is a
// mistake, or has to be added here with what is checked of it.
type (
	meta struct {
		Name   string            `yaml:"name"`
		Labels map[string]string `yaml:"labels"`
	}
	selector struct {
		MatchLabels map[string]string `yaml:"matchLabels"`
	}
	keyRef  struct{ Name, Key string }
	envFrom struct {
		SecretKeyRef keyRef `yaml:"secretKeyRef"`
		FieldRef     struct {
			FieldPath string `yaml:"fieldPath"`
		} `yaml:"fieldRef"`
	}
	probe struct {
		HTTPGet          struct{ Path, Port string } `yaml:"httpGet"`
		PeriodSeconds    int                         `yaml:"periodSeconds"`
		FailureThreshold int                         `yaml:"failureThreshold"`
	}
	container struct {
		Name, Image string
		Args        []string
		Env         []struct {
			Name, Value string
			ValueFrom   envFrom `yaml:"valueFrom"`
		}
		Ports []struct {
			Name          string
			ContainerPort int `yaml:"containerPort"`
		}
		ReadinessProbe  *probe `yaml:"readinessProbe"`
		LivenessProbe   *probe `yaml:"livenessProbe"`
		Resources       struct{ Requests, Limits map[string]string }
		SecurityContext struct {
			AllowPrivilegeEscalation bool `yaml:"allowPrivilegeEscalation"`
			ReadOnlyRootFilesystem   bool `yaml:"readOnlyRootFilesystem"`
			Capabilities             struct{ Drop []string }
		} `yaml:"securityContext"`
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
			ReadOnly  bool   `yaml:"readOnly"`
		} `yaml:"volumeMounts"`
	}
	volume struct {
		Name   string
		Secret *struct {
			SecretName string                       `yaml:"secretName"`
			Items      []struct{ Key, Path string } `yaml:"items"`
		}
		EmptyDir *struct{} `yaml:"emptyDir"`
	}
	podSpec struct {
		AutomountServiceAccountToken  bool `yaml:"automountServiceAccountToken"`
		TerminationGracePeriodSeconds int  `yaml:"terminationGracePeriodSeconds"`
		SecurityContext               struct {
			RunAsNonRoot   bool                  `yaml:"runAsNonRoot"`
			SeccompProfile struct{ Type string } `yaml:"seccompProfile"`
		} `yaml:"securityContext"`
		TopologySpreadConstraints []struct {
			MaxSkew           int      `yaml:"maxSkew"`
			TopologyKey       string   `yaml:"topologyKey"`
			WhenUnsatisfiable string   `yaml:"whenUnsatisfiable"`
			LabelSelector     selector `yaml:"labelSelector"`
		} `yaml:"topologySpreadConstraints"`
		Containers []container
		Volumes    []volume
	}
	deployment struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   meta
		Spec       struct {
			Replicas int
			Selector selector
			Template struct {
				Metadata meta
				Spec     podSpec
			}
		}
	}
	service struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   meta
		Spec       struct {
			Selector map[string]string
			Ports    []struct {
				Name       string
				Port       int
				TargetPort string `yaml:"targetPort"`
			}
		}
	}
	peer struct {
		PodSelector selector `yaml:"podSelector"`
	}
	networkPolicy struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   meta
		Spec       struct {
			PodSelector selector `yaml:"podSelector"`
			PolicyTypes []string `yaml:"policyTypes"`
			Ingress     []struct {
				From  []peer
				Ports []struct{ Port int }
			}
		}
	}
	disruptionBudget struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   meta
		Spec       struct {
			MaxUnavailable int `yaml:"maxUnavailable"`
			Selector       selector
		}
	}

	composed struct {
		Image       string
		Build       struct{ Context, Dockerfile string }
		Environment map[string]string
		Secrets     []string
		DependsOn   any `yaml:"depends_on"` // names, or conditions by name
		Volumes     []string
		Healthcheck struct {
			Test     []string
			Interval string
		}
		Command  []string
		Deploy   struct{ Replicas int }
		Ports    []string
		Profiles []string
	}
	compose struct {
		Name     string
		Team     composed `yaml:"x-team"`
		Services map[string]composed
		Secrets  map[string]struct{ File string }
		Volumes  map[string]any
	}
)

func packaged(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "packaging", "team", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func strictly(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.UnmarshalWithOptions([]byte(text), into, yaml.Strict()); err != nil {
		t.Fatalf("%T: %v", into, err)
	}
}

// parsed returns the command of a command line, with its flags set; what is no flag of it
// fails.
func parsed(t *testing.T, line []string) *cobra.Command {
	t.Helper()
	c, rest, err := root().Find(line)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil {
		err = c.ValidateRequiredFlags()
	}
	if err != nil || c.Name() != line[0] || c.Flags().NArg() > 0 {
		t.Fatalf("%q: %v, %q", line, err, c.Flags().Args())
	}
	return c
}

// portOf returns the port of an address in a flag; "" if the flag is not set.
func portOf(c *cobra.Command, name string) string {
	f := c.Flags().Lookup(name)
	if f == nil || !f.Changed {
		return ""
	}
	return f.Value.String()[strings.LastIndex(f.Value.String(), ":")+1:]
}

// reads fails if the command does not read a variable of its environment.
func reads(t *testing.T, name string) {
	t.Helper()
	main, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(main, []byte(`os.Getenv("`+name+`")`)) {
		t.Errorf("winnowteam does not read %s", name)
	}
}

// TestPackaging_kubernetes: the manifests have no unknown field, and what they name is
// there: flags, variables, ports, volumes, secrets, labels.
func TestPackaging_kubernetes(t *testing.T) {
	t.Parallel()
	text := packaged(t, "kubernetes.yaml")
	pods := map[string]deployment{} // by their label
	secret := regexp.MustCompile(`(?m)^# kubectl create secret generic (\S+) --from-literal=(\w+)=\S+ --from-file=(\w+)$`).FindStringSubmatch(text)
	if secret == nil {
		t.Fatal("it does not say how its secret is created")
	}
	documents := strings.Split(text, "\n---\n")
	for _, document := range documents {
		var one struct{ Kind string }
		if err := yaml.Unmarshal([]byte(document), &one); err != nil || one.Kind != "Deployment" {
			continue
		}
		var d deployment
		strictly(t, document, &d)
		labels := d.Spec.Template.Metadata.Labels
		if d.APIVersion != "apps/v1" || d.Spec.Replicas < 1 || labels["app"] == "" || fmt.Sprint(labels) != fmt.Sprint(d.Spec.Selector.MatchLabels) || fmt.Sprint(labels) != fmt.Sprint(d.Metadata.Labels) {
			t.Errorf("%s: it does not select its own pods", d.Metadata.Name)
		}
		for _, spread := range d.Spec.Template.Spec.TopologySpreadConstraints {
			if fmt.Sprint(spread.LabelSelector.MatchLabels) != fmt.Sprint(labels) {
				t.Errorf("%s: it spreads other pods", d.Metadata.Name)
			}
		}
		checkPod(t, d.Metadata.Name, &d.Spec.Template.Spec, secret)
		pods[labels["app"]] = d
	}
	if len(pods) != 2 {
		t.Fatalf("%d deployments", len(pods))
	}
	port := func(app, name string) (number int, found bool) {
		for _, p := range pods[app].Spec.Template.Spec.Containers[0].Ports {
			if p.Name == name || fmt.Sprint(p.ContainerPort) == name {
				return p.ContainerPort, true
			}
		}
		return 0, false
	}
	others := 0
	for _, document := range documents {
		var one struct{ Kind string }
		_ = yaml.Unmarshal([]byte(document), &one)
		switch one.Kind {
		case "Deployment":
			continue
		case "Service":
			var s service
			strictly(t, document, &s)
			for _, p := range s.Spec.Ports {
				if _, ok := port(s.Spec.Selector["app"], p.TargetPort); !ok || s.APIVersion != "v1" {
					t.Errorf("the service leads to port %q of %v", p.TargetPort, s.Spec.Selector)
				}
			}
		case "NetworkPolicy":
			var p networkPolicy
			strictly(t, document, &p)
			to := p.Spec.PodSelector.MatchLabels["app"]
			for _, in := range p.Spec.Ingress {
				if _, ok := port(to, fmt.Sprint(in.Ports[0].Port)); !ok || len(in.From) != 1 || pods[in.From[0].PodSelector.MatchLabels["app"]].Kind == "" {
					t.Errorf("the policy lets %v in to port %v of %s", in.From, in.Ports, to)
				}
			}
		case "PodDisruptionBudget":
			var b disruptionBudget
			strictly(t, document, &b)
			if pods[b.Spec.Selector.MatchLabels["app"]].Spec.Replicas <= b.Spec.MaxUnavailable {
				t.Errorf("the budget of %v", b.Spec.Selector)
			}
		default:
			t.Errorf("nothing checks a %q", one.Kind)
		}
		others++
	}
	if others != 3 {
		t.Errorf("%d other objects", others)
	}
}

// checkPod checks a pod's containers; secret is the match of the command that creates it.
func checkPod(t *testing.T, name string, pod *podSpec, secret []string) {
	t.Helper()
	for i := range pod.Containers {
		c := &pod.Containers[i]
		command := parsed(t, c.Args)
		ports := map[string]string{"mcp": portOf(command, "listen"), "metrics": portOf(command, "metrics")}
		named := map[string]bool{}
		for _, p := range c.Ports {
			named[p.Name] = true
			if ports[p.Name] != fmt.Sprint(p.ContainerPort) {
				t.Errorf("%s: port %s is %d, and the command listens on %q", name, p.Name, p.ContainerPort, ports[p.Name])
			}
		}
		for _, p := range []*probe{c.ReadinessProbe, c.LivenessProbe} {
			if p != nil && !named[p.HTTPGet.Port] {
				t.Errorf("%s: a probe asks port %q", name, p.HTTPGet.Port)
			}
		}
		files := map[string]bool{}
		writable := false
		for _, m := range c.VolumeMounts {
			at := slices.IndexFunc(pod.Volumes, func(v volume) bool { return v.Name == m.Name })
			if at < 0 {
				t.Fatalf("%s: there is no volume %q", name, m.Name)
			}
			v := pod.Volumes[at]
			writable = writable || v.EmptyDir != nil && m.MountPath == os.TempDir()
			if v.Secret != nil {
				for _, item := range v.Secret.Items {
					files[m.MountPath+"/"+item.Path] = v.Secret.SecretName == secret[1] && item.Key == secret[3]
				}
			}
		}
		if !writable || !c.SecurityContext.ReadOnlyRootFilesystem || c.SecurityContext.AllowPrivilegeEscalation || !pod.SecurityContext.RunAsNonRoot {
			t.Errorf("%s: a replica has to write temporary files, and nothing else", name)
		}
		for _, e := range c.Env {
			switch from := e.ValueFrom; {
			case strings.Contains(strings.Join(c.Args, " "), "$("+e.Name+")"):
				if from.FieldRef.FieldPath != "status.podIP" {
					t.Errorf("%s: %s is %q", name, e.Name, from.FieldRef.FieldPath)
				}
				continue
			case from.SecretKeyRef != keyRef{} && from.SecretKeyRef != keyRef{secret[1], secret[2]}:
				t.Errorf("%s: %s is of the secret %v, which nothing creates", name, e.Name, from.SecretKeyRef)
			case e.Name == "WINNOWTEAM_KEYS" && !files[e.Value]:
				t.Errorf("%s: no volume has the keys %s", name, e.Value)
			}
			reads(t, e.Name)
		}
	}
}

// TestPackaging_compose: the same of the compose file, the files that it mounts, the image
// that it builds, and its balancer.
func TestPackaging_compose(t *testing.T) {
	t.Parallel()
	var c compose
	strictly(t, packaged(t, "compose.yaml"), &c)
	here := filepath.Join("..", "..", "packaging", "team")
	dockerfile := packaged(t, "Dockerfile")
	if there, err := filepath.EvalSymlinks(filepath.Join(here, c.Team.Build.Context, c.Team.Build.Dockerfile)); err != nil || filepath.Base(there) != "Dockerfile" {
		t.Errorf("the image is built by %q, %v", there, err)
	}
	module, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if minor := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindSubmatch(module)[1]; !strings.Contains(dockerfile, "golang:"+string(minor)+" ") || !strings.Contains(dockerfile, "./daemon/cmd/winnowteam\n") ||
		!strings.Contains(dockerfile, `ENTRYPOINT ["/winnowteam"]`) {
		t.Errorf("the image is built of another Go than %s, or of something else", minor)
	}
	listens := map[string]string{}
	for name, s := range c.Services {
		for _, secret := range s.Secrets {
			if c.Secrets[secret].File == "" || s.Environment["WINNOWTEAM_KEYS"] != "/run/secrets/"+secret {
				t.Errorf("%s: the secret %q is not what is read", name, secret)
			}
		}
		for variable := range s.Environment {
			if s.Image == c.Team.Image {
				reads(t, variable)
			}
		}
		for _, mount := range s.Volumes {
			from, _, _ := strings.Cut(mount, ":")
			_, err := os.Stat(filepath.Join(here, from))
			if _, own := c.Volumes[from]; err != nil && !own {
				t.Errorf("%s: nothing is at %s", name, from)
			}
		}
		for _, before := range regexp.MustCompile(`\w+`).FindAllString(fmt.Sprint(s.DependsOn), -1) {
			if _, ok := c.Services[before]; !ok && !slices.Contains([]string{"map", "condition", "service_healthy", "nil"}, before) {
				t.Errorf("%s: there is no %q", name, before)
			}
		}
		if len(s.Command) > 0 {
			command := parsed(t, s.Command)
			listens[name] = portOf(command, "listen")
			if to := command.Flags().Lookup("advertise"); s.Command[0] == "hold" && to.Value.String() != name+":"+listens[name] {
				t.Errorf("%s is told to others as %s", name, to.Value)
			}
		}
	}
	balancer := packaged(t, "compose-haproxy.cfg")
	bind := regexp.MustCompile(`bind :(\d+)`).FindStringSubmatch(balancer)
	if bind == nil || !strings.HasSuffix(c.Services["balancer"].Ports[0], ":"+bind[1]) || !strings.Contains(balancer, " replica:"+listens["replica"]+"\n") {
		t.Errorf("the balancer listens on %q and leads to none of %v", bind, listens)
	}
	for _, name := range []string{"compose-haproxy.cfg", "haproxy.cfg"} {
		if out, err := exec.Command("/usr/sbin/haproxy", "-c", "-f", filepath.Join(here, name)).CombinedOutput(); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// TestPackaging_systemd: systemd takes the units, where it is here, and what their command
// lines name is in the file of their environment as the unit describes it.
func TestPackaging_systemd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, as := range map[string]string{"winnowteam@.service": "winnowteam@8081.service", "winnowteam-holder.service": "winnowteam-holder.service"} {
		text := packaged(t, name)
		line := regexp.MustCompile(`(?m)^ExecStart=(\S+) (.*)$`).FindStringSubmatch(text)
		if line == nil || line[1] != "/usr/local/bin/winnowteam" {
			t.Fatalf("%s starts %q", name, line)
		}
		command := parsed(t, strings.Fields(line[2]))
		if port := portOf(command, "listen"); port != "%i" && port != "8090" {
			t.Errorf("%s listens on %q", name, port)
		}
		described := regexp.MustCompile(`(?m)^# (.*), and what servers' entries name`).FindStringSubmatch(text)
		if described == nil {
			t.Fatalf("%s does not say what its environment is", name)
		}
		for _, variable := range regexp.MustCompile(`\$\{(\w+)\}`).FindAllStringSubmatch(line[2], -1) {
			if !slices.Contains(strings.Split(described[1], ", "), variable[1]) {
				t.Errorf("%s: nothing says that the environment has %s", name, variable[1])
			}
		}
		for _, variable := range strings.Split(described[1], ", ") {
			if !strings.Contains(line[2], "${"+variable+"}") {
				reads(t, variable)
			}
		}
		for _, file := range []string{name, as} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(strings.Replace(text, line[1], self, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		program, err := exec.LookPath("systemd-analyze")
		if err != nil {
			t.Log("NOT TESTED: systemd-analyze is not here")
			continue
		}
		// A key that it does not know is a warning.
		if out, err := exec.Command(program, "verify", "--man=no", filepath.Join(dir, as)).CombinedOutput(); err != nil || strings.Contains(string(out), as) || strings.Contains(string(out), name) {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// TestPackaging_paths: replicas and holders answer on the paths that manifests and
// balancers probe, with the sample files that are shipped, and on no other.
func TestPackaging_paths(t *testing.T) {
	t.Parallel()
	url, schema := cluster.New(t)
	f := &fixture{t: t, provider: &upstreamtest.AuthServer{Issuer: "http://127.0.0.1:1"}}
	f.env = append(os.Environ(), asCommand+"=1", "WINNOWTEAM_DATABASE="+url, "WINNOWTEAM_SCHEMA="+schema)
	withKeys(f)
	here := filepath.Join("..", "..", "packaging", "team")
	if out := f.run("apply", filepath.Join(here, "winnow.json"), filepath.Join(here, "team.cedar")); out != "version 1\n" {
		t.Errorf("the samples: %q", out)
	}
	replica, holder := f.startReplica(), f.start("hold", "--listen", "127.0.0.1:0")
	get := func(address, path string) int {
		answer, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	probed := 0
	at := map[string]string{"serve": replica.address, "hold": holder.address}
	asks := func(role, path string) {
		t.Helper()
		probed++
		f.until(role+" answers "+path, func() bool { return get(at[role], path) == http.StatusOK })
	}
	for _, document := range strings.Split(packaged(t, "kubernetes.yaml"), "\n---\n") {
		var d deployment
		if yaml.Unmarshal([]byte(document), &d) != nil || d.Kind != "Deployment" {
			continue
		}
		for _, c := range d.Spec.Template.Spec.Containers {
			for _, p := range []*probe{c.ReadinessProbe, c.LivenessProbe} {
				if p != nil {
					asks(c.Args[0], p.HTTPGet.Path)
				}
			}
		}
	}
	for _, name := range []string{"haproxy.cfg", "compose-haproxy.cfg"} {
		check := regexp.MustCompile(`option httpchk GET (\S+)`).FindStringSubmatch(packaged(t, name))
		if check == nil {
			t.Fatalf("%s checks nothing", name)
		}
		asks("serve", check[1])
	}
	if probed != 5 {
		t.Errorf("%d probes", probed)
	}
	if status := get(replica.metrics, "/metrics"); status != http.StatusOK {
		t.Errorf("metrics: HTTP %d", status)
	}
	for role, address := range at {
		if status := get(address, "/nothing"); status == http.StatusOK {
			t.Errorf("%s answers any path", role)
		}
	}
}
