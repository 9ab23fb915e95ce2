// The accounts of ProtectedServer: its clients, the page on which a person
// allows or denies, and the tokens.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import type { AuthorizationParams, OAuthServerProvider } from "@modelcontextprotocol/sdk/server/auth/provider.js";
import type { AuthInfo } from "@modelcontextprotocol/sdk/server/auth/types.js";
import type { OAuthClientInformationFull, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";

/** Seconds that a token is good for. */
const lifetime = 3600;

/** A question that stands on the page, or its answer that was not exchanged yet. */
interface Grant {
  client: string;
  params: AuthorizationParams;
}

/** Keeps everything in memory. */
export class Accounts implements OAuthServerProvider {
  /** The path that the page's links lead to. */
  static readonly page = "/decide";

  /** Every token that was handed out: none of them may be in a file or a log. */
  readonly tokens: string[] = [];
  readonly #clients = new Map<string, OAuthClientInformationFull>();
  readonly #questions = new Map<string, Grant>();
  readonly #codes = new Map<string, Grant>();
  readonly #access = new Map<string, AuthInfo>();

  readonly clientsStore = {
    getClient: (id: string) => this.#clients.get(id),
    registerClient: (client: Omit<OAuthClientInformationFull, "client_id" | "client_id_issued_at">) => {
      const full = { client_id: randomUUID(), ...client } as OAuthClientInformationFull;
      this.#clients.set(full.client_id, full);
      return full;
    },
  };

  /** @param resource the address of the server that the tokens are for */
  constructor(private readonly resource: URL) {}

  /** Shows the page. */
  authorize(client: OAuthClientInformationFull, params: AuthorizationParams, response: ServerResponse): Promise<void> {
    const id = randomUUID();
    this.#questions.set(id, { client: client.client_id, params });
    // Relative: VS Code may show the page through its own server.
    const link = (text: string, answer: string) =>
      `<a href="${path.basename(Accounts.page)}?id=${id}&answer=${answer}">${text}</a>`;
    const name = client.client_name ?? "a client without a name";
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(`<!doctype html><title>The vault</title><h1>May ${name} open the vault?</h1>
      <p>${link("Allow", "allow")} ${link("Deny", "deny")}</p>`);
    return Promise.resolve();
  }

  /** Takes the answer, and sends the browser back. */
  readonly decide = (request: IncomingMessage, response: ServerResponse): void => {
    const query = new URL(request.url ?? "", this.resource).searchParams;
    const id = query.get("id") ?? "";
    const grant = this.#questions.get(id);
    if (grant === undefined) {
      response.writeHead(404).end("nobody asked");
      return;
    }
    this.#questions.delete(id);
    const back = new URL(grant.params.redirectUri);
    if (grant.params.state !== undefined) back.searchParams.set("state", grant.params.state);
    if (query.get("answer") === "allow") {
      const code = randomUUID();
      this.#codes.set(code, grant);
      back.searchParams.set("code", code);
    } else {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_description", "the person said no");
    }
    response.writeHead(302, { Location: back.href }).end();
  };

  challengeForAuthorizationCode(_client: OAuthClientInformationFull, code: string): Promise<string> {
    return this.#promised(() => this.#grant(code).params.codeChallenge);
  }

  exchangeAuthorizationCode(client: OAuthClientInformationFull, code: string): Promise<OAuthTokens> {
    return this.#promised(() => {
      const { params, client: owner } = this.#grant(code);
      if (owner !== client.client_id) throw new Error("the code is another client's");
      if (params.resource?.href !== this.resource.href) throw new Error("the code is for another server");
      this.#codes.delete(code);
      return this.#handOut(client.client_id, params.scopes ?? []);
    });
  }

  exchangeRefreshToken(): Promise<OAuthTokens> {
    return Promise.reject(new Error("no token of this server needs to be renewed within a test"));
  }

  verifyAccessToken(token: string): Promise<AuthInfo> {
    return this.#promised(() => {
      const info = this.#access.get(token);
      if (info === undefined) throw new Error("no such token");
      return info;
    });
  }

  #grant(code: string): Grant {
    const grant = this.#codes.get(code);
    if (grant === undefined) throw new Error("no such code");
    return grant;
  }

  #handOut(clientId: string, scopes: string[]): OAuthTokens {
    const token = randomUUID();
    this.tokens.push(token);
    this.#access.set(token, { token, clientId, scopes, expiresAt: Math.floor(Date.now() / 1000) + lifetime });
    return { access_token: token, token_type: "Bearer", expires_in: lifetime };
  }

  #promised<T>(make: () => T): Promise<T> {
    return new Promise((resolve) => resolve(make()));
  }
}
