// An MCP server that wants its users to sign in, and the authorization server
// that they sign in to: both real, of the MCP SDK, on one port of loopback.
import { randomUUID } from "node:crypto";
import { type IncomingMessage, type RequestListener, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { getOAuthProtectedResourceMetadataUrl, mcpAuthRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Accounts } from "./accounts";

/** What is used of Express, which comes without types. */
type App = RequestListener & {
  use(...handlers: unknown[]): void;
  post(path: string, ...handlers: unknown[]): void;
  get(path: string, ...handlers: unknown[]): void;
};

/** A request whose body Express has read. */
type Parsed = IncomingMessage & { body: unknown };

/** A server that takes calls only with a token. */
export class ProtectedServer {
  private constructor(
    /** Its address, for winnow.json. */
    readonly url: string,
    /** What was signed in. */
    readonly accounts: Accounts,
    readonly close: () => Promise<void>,
  ) {}

  /** Starts one on a free port. */
  static async start(): Promise<ProtectedServer> {
    const app = createMcpExpressApp() as unknown as App;
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const issuerUrl = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const resourceServerUrl = new URL("/mcp", issuerUrl);
    const accounts = new Accounts(resourceServerUrl);
    app.use(mcpAuthRouter({ provider: accounts, issuerUrl, resourceServerUrl, scopesSupported: ["notes"] }));
    app.get(Accounts.page, accounts.decide);
    const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceServerUrl);
    app.post("/mcp", requireBearerAuth({ verifier: accounts, resourceMetadataUrl }), answer);
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    return new ProtectedServer(resourceServerUrl.href, accounts, close);
  }
}

/** Answers one message of MCP. Nothing is kept between two. */
async function answer(request: Parsed, response: ServerResponse): Promise<void> {
  const server = new McpServer({ name: "vault", version: "1.0.0" });
  server.registerTool("open_vault", { description: "Opens the vault of notes." }, () => ({
    content: [{ type: "text", text: `opened ${randomUUID()}` }],
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined } as never);
  response.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
}
