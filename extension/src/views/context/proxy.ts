// What winnowd proxy says of other clients' conversations, for the panel
// Context. It is another process than the daemon of this window, and tells by
// HTTP.
import { formatNumber, formatTokens, percent } from "../../base/format";
import type { ProxyRow } from "../messages";

/** The part of /winnow/stats that is shown. */
export interface ProxyStats {
  clients: Record<string, ClientSum>;
}

interface ClientSum {
  requests: number;
  sentTokens: number;
  savedTokens: number;
  usage: { input: number; cacheRead: number };
}

/** The rows of a proxy's clients, those with most requests first. */
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

/** How long a proxy may take to answer, in milliseconds: the panel waits for it. */
const patience = 500;

/** Asks proxies, by the addresses of their statistics. One that does not run has nothing to tell. */
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
