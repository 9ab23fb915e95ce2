// The page that a person opens first: it readies the browser for VS Code's agent
// mode, and goes on to VS Code.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { seed } from "../test/host/seed";

/** A page that is served; close ends that. */
export interface Doorstep {
  /** Its path below code-server's address, which hands it on to whoever has signed in. */
  path: string;
  close: () => void;
}

/** The page goes on with the query that it was asked with; when the browser keeps nothing, only agent mode is missing. */
const page = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Winnow</title>
  <p>VS Code opens…</p>
  <script>
    ${seed}.catch(console.error).then(() => location.replace("/" + location.search));
  </script>
</html>
`;

/** Serves the page on loopback. There is nothing secret in it. */
export async function openDoorstep(): Promise<Doorstep> {
  const server = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(page);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    path: `/proxy/${port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
