package embed

import (
	"cmp"
	"net/http"
	"net/url"
)

// azureVersion is the newest generally available version of the API by
// deployment.
const azureVersion = "2024-10-21"

// azure speaks Azure OpenAI's API: OpenAI's bodies, with the deployment in the
// path and a header of its own.
// https://learn.microsoft.com/azure/ai-foundry/openai/reference#embeddings
func azure() dialect {
	return dialect{
		modelHint: "give the deployment's name",
		needsKey:  true,
		texts:     128,
		path: func(c Config) string {
			return "/openai/deployments/" + url.PathEscape(c.Model) +
				"/embeddings?api-version=" + url.QueryEscape(cmp.Or(c.APIVersion, azureVersion))
		},
		authorize: func(header http.Header, key Secret) { header.Set("api-key", string(key)) },
		body: func(c Config, _ Purpose, texts []string) any {
			return openAIRequest{Input: texts, Dimensions: c.Dimensions, EncodingFormat: "float"}
		},
		vectors: indexedVectors,
	}
}
