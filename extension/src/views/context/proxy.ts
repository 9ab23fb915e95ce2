// Statistics of winnowd proxy on other clients' conversations, for the page Context Usage. The proxy is another process
// than this window's daemon and is reached over HTTP.
import { formatNumber, formatTokens, percent } from "../../base/format";
import type { ProxyRow } from "../messages";

/** The used members of /winnow/stats. */
export interface ProxyStats {
  clients: Record<string, ClientSum>;
}

interface ClientSum {
  requests: number;
  sentTokens: number;
  savedTokens: number;
  usage: { input: number; cacheRead: number };
}

/** Returns the rows of a proxy's clients, those with most requests first. */
export function proxyRows({ clients }: ProxyStats): ProxyRow[] {
  return Object.entries(clients)
    .sort(([, a], [, b]) => b.requests - a.requests)
    .map(([client, { requests, sentTokens, savedTokens, usage }]) => ({
      client: client === "" ? "a client without a name" : client,
      numbers: [
        formatNumber(requests),
        formatTokens(sentTokens),
        formatTokens(savedTokens),
        usage.input === 0 ? "" : percent(usage.cacheRead, usage.input),
      ],
    }));
}

/** The timeout of a proxy in milliseconds: the page waits for it. */
const patience = 500;

/** Requests the statistics of proxies. A proxy that does not run has none. */
export async function askProxies(addresses: readonly string[]): Promise<ProxyRow[]> {
  const rows = addresses.map(async (address) => {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(patience) });
      return response.ok ? proxyRows((await response.json()) as ProxyStats) : [];
    } catch {
      return [];
    }
  });
  return (await Promise.all(rows)).flat();
}
