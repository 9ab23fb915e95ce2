package editor

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestNetworkOf: VS Code's settings, as VS Code hands them over.
func TestNetworkOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, http string
		want       protocol.Network
	}{
		{"nothing", `{}`, protocol.Network{}},
		{
			"the defaults", `{"proxy":"","noProxy":[],"proxySupport":"override","proxyStrictSSL":true,"proxyAuthorization":null,"systemCertificates":true}`,
			protocol.Network{},
		},
		{
			"a proxy", `{"proxy":"http://proxy:3128","noProxy":["a.example",".b.example"],"proxyAuthorization":"Basic eA=="}`,
			protocol.Network{Proxy: "http://proxy:3128", NoProxy: "a.example,.b.example", ProxyAuthorization: "Basic eA=="},
		},
		{
			"off uses not even the environment's", `{"proxySupport":"off","proxy":"http://proxy:3128","noProxy":["a.example"]}`,
			protocol.Network{NoProxy: "*"},
		},
		{
			"any certificate", `{"proxySupport":"off","proxyStrictSSL":false}`,
			protocol.Network{NoProxy: "*", InsecureSkipVerify: true},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var http protocol.HTTPSettings
			if err := json.Unmarshal([]byte(test.http), &http); err != nil {
				t.Fatal(err)
			}
			if got := networkOf(http); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
