// A real authorization server (oidc-provider) on a free loopback port: with
// discovery, dynamic registration, client ID metadata documents, PKCE, refresh tokens that rotate, resource
// indicators, introspection and revocation. Its sign-in pages accept anybody.
// Three programs, alice, bob and brief, get tokens by themselves, which name their
// groups; those of brief are valid for some seconds. The program gateway exchanges
// tokens of the others (RFC 8693), also for assertions to other servers (ID-JAG). It
// takes such assertions of the issuers that its arguments name. The package has neither
// grant: both are here.
// It prints {"issuer": …} when it listens and ends when its stdin does.
import { createServer } from "node:http";

import { SignJWT, createLocalJWKSet, createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify } from "jose";
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
const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const accessToken = "urn:ietf:params:oauth:token-type:access_token";
const assertionToken = "urn:ietf:params:oauth:token-type:id-jag";
const assertionType = "oauth-id-jag+jwt";
const trusted = process.argv.slice(2);

const { privateKey } = await generateKeyPair("RS256", { extractable: true });
const signing = { ...(await exportJWK(privateKey)), kid: "test", use: "sig", alg: "RS256" };

const provider = new Provider(issuer, {
  jwks: { keys: [signing] },
  fetch: async (url) => (String(url) === documentURL ? Response.json(document) : Response.error()),
  // The test's MCP server asks about tokens as this client.
  clients: [
    ...programs,
    {
      client_id: "gateway",
      client_secret: "gateway-secret",
      redirect_uris: [],
      response_types: [],
      grant_types: ["client_credentials", tokenExchange, jwtBearer],
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

// issue gives a client a token of a user's for a resource.
async function issue(ctx, accountId, gty, { resource, scope }) {
  const { client } = ctx.oidc;
  const grant = new provider.Grant({ clientId: client.clientId, accountId });
  grant.addResourceScope(resource, scope);
  const token = new provider.AccessToken({ client, accountId, grantId: await grant.save(), gty, scope });
  token.resourceServer = new provider.ResourceServer(resource, { scope, accessTokenFormat: "opaque" });
  ctx.body = {
    access_token: await token.save(),
    issued_token_type: accessToken,
    token_type: "Bearer",
    expires_in: token.expiration,
  };
}

// A token of a user's for a team's gateway becomes one of the same user's for a server, or an
// assertion of who the user is for the authorization server of another one.
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
    if (params.requested_token_type !== assertionToken) return issue(ctx, accountId, "token_exchange", params);
    const assertion = new SignJWT({ client_id: client.clientId, resource: params.resource, scope: params.scope })
      .setProtectedHeader({ alg: "RS256", kid: signing.kid, typ: assertionType })
      .setIssuer(issuer)
      .setSubject(accountId)
      .setAudience(params.audience)
      .setJti(crypto.randomUUID())
      .setIssuedAt()
      .setExpirationTime("5m");
    ctx.body = {
      access_token: await assertion.sign(privateKey),
      issued_token_type: assertionToken,
      token_type: "N_A",
      expires_in: 300,
    };
  },
  ["subject_token", "subject_token_type", "requested_token_type", "audience", "resource", "scope"],
);

// An assertion of a trusted issuer, for this server and this client, becomes a token.
provider.registerGrantType(
  jwtBearer,
  async (ctx) => {
    const { params, client } = ctx.oidc;
    for (const one of trusted) {
      const keys = createRemoteJWKSet(new URL(`${one}/jwks`));
      const found = await jwtVerify(params.assertion, keys, {
        issuer: one,
        audience: issuer,
        typ: assertionType,
      }).catch(() => null);
      if (found?.payload.client_id === client.clientId) {
        const { sub, resource, scope } = found.payload;
        return issue(ctx, sub, "jwt_bearer", { resource, scope });
      }
    }
    throw new errors.InvalidGrant("assertion");
  },
  ["assertion", "scope"],
);

server.on("request", provider.callback());
process.stdout.write(`${JSON.stringify({ issuer })}\n`);
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
