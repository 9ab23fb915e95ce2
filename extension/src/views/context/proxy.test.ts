import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { askProxies } from "./proxy";

test("the clients of a proxy that runs are told, and one that does not run is passed over", async () => {
  const stats = {
    conversations: [],
    clients: {
      "Go-http-client/1.1": { requests: 1, sentTokens: 900, savedTokens: 100, usage: { input: 0, cacheRead: 0 } },
      codex: { requests: 12, sentTokens: 84_000, savedTokens: 160_000, usage: { input: 1000, cacheRead: 820 } },
    },
  };
  const server = createServer((_, response) => response.end(JSON.stringify(stats)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/winnow/stats`;
  const rows = await askProxies([address, "http://127.0.0.1:1/winnow/stats"]);
  server.close();
  assert.deepEqual(
    rows.map(({ client, numbers }) => [client, ...numbers]),
    [
      ["codex", "12", "84k", "160k", "82%"],
      ["Go-http-client/1.1", "1", "900", "100", ""],
    ],
  );
});
