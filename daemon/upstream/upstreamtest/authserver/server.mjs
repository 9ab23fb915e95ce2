// A real authorization server (oidc-provider) on a free loopback port: with
// discovery, dynamic registration, client ID metadata documents, PKCE, refresh tokens that rotate, resource
// indicators, introspection and revocation. Its sign-in pages accept anybody.
// Three programs, alice, bob and brief, get tokens by themselves, which name their
// groups; those of brief are valid for some seconds. The program gateway exchanges
// tokens of the others (RFC 8693).
// It prints {"issuer": …} when it listens and ends when its stdin does.
import { createServer } from "node:http";

import { createLocalJWKSet, jwtVerify } from "jose";
import Provider, { errors } from "oidc-provider";

const server = createServer();
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

// The only metadata document there is; no other is fetched.
const documentURL = "https://client.example/winnow.json";
const document = {
  client_id: documentURL,
  client_name: "Winnow",
  application_type: "native",
  redirect_uris: ["http://127.0.0.1/callback"],
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
};

const groups = { alice: ["staff", "ops"], bob: ["staff"], brief: ["staff", "ops"] };
const programs = Object.keys(groups).map((name) => ({
  client_id: name,
  client_secret: `${name}-secret`,
  redirect_uris: [],
  response_types: [],
  grant_types: ["client_credentials"],
}));

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessToken = "urn:ietf:params:oauth:token-type:access_token";

const provider = new Provider(issuer, {
  fetch: async (url) => (String(url) === documentURL ? Response.json(document) : Response.error()),
  // The test's MCP server asks about tokens as this client.
  clients: [
    ...programs,
    {
      client_id: "gateway",
      client_secret: "gateway-secret",
      redirect_uris: [],
      response_types: [],
      grant_types: ["client_credentials", tokenExchange],
    },
    {
      client_id: "resource",
      client_secret: "resource-secret",
      redirect_uris: [],
      response_types: [],
      grant_types: [],
    },
    {
      client_id: "by-hand",
      redirect_uris: ["http://localhost:1/callback"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
  ],
  extraTokenClaims: async (_ctx, token) =>
    groups[token.clientId] ? { groups: groups[token.clientId], name: token.clientId } : undefined,
  scopes: ["openid", "offline_access", "tools:call"],
  pkce: { required: () => true },
  issueRefreshToken: async () => true,
  findAccount: async (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  ttl: { AccessToken: 3600, Grant: 86400, Interaction: 600, RefreshToken: 86400, Session: 86400 },
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    clientIdMetadataDocument: { enabled: true, ack: "draft-02" },
    revocation: { enabled: true },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_ctx, resource, client) => ({
        scope: "tools:call",
        audience: resource,
        // A team's gateway reads tokens by itself; other servers ask about them.
        accessTokenFormat: resource.startsWith("https://team.") ? "jwt" : "opaque",
        accessTokenTTL: client.clientId === "brief" ? 8 : 3600,
      }),
    },
  },
});

// A token of a user's for a team's gateway becomes one of the same user's for a server.
provider.registerGrantType(
  tokenExchange,
  async (ctx) => {
    const { params, client } = ctx.oidc;
    if (params.subject_token_type !== accessToken) throw new errors.InvalidRequest("subject_token_type");
    const keys = createLocalJWKSet(await (await fetch(`${issuer}/jwks`)).json());
    const subject = await jwtVerify(params.subject_token, keys, { issuer }).catch(() => {
      throw new errors.InvalidGrant("subject_token");
    });
    const accountId = subject.payload.sub;
    const grant = new provider.Grant({ clientId: client.clientId, accountId });
    grant.addResourceScope(params.resource, params.scope);
    const token = new provider.AccessToken({
      client,
      accountId,
      grantId: await grant.save(),
      gty: "token_exchange",
      scope: params.scope,
    });
    token.resourceServer = new provider.ResourceServer(params.resource, {
      scope: params.scope,
      accessTokenFormat: "opaque",
    });
    ctx.body = {
      access_token: await token.save(),
      issued_token_type: accessToken,
      token_type: "Bearer",
      expires_in: token.expiration,
    };
  },
  ["subject_token", "subject_token_type", "requested_token_type", "resource", "scope"],
);

server.on("request", provider.callback());
process.stdout.write(`${JSON.stringify({ issuer })}\n`);
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
