import type { Network } from "../protocol.gen";

/** VS Code's settings below `http` that say how the network is reached. */
export interface HttpSettings {
  proxy?: string;
  proxySupport?: string;
  noProxy?: string[];
  proxyStrictSSL?: boolean;
  /** A header's value; null, the default, sends none. */
  proxyAuthorization?: string | null;
}

/** The settings' full names. */
export const networkSettings = ["proxy", "proxySupport", "noProxy", "proxyStrictSSL", "proxyAuthorization"].map(
  (name) => `http.${name}`,
);

/** Says how the daemon reaches the network, as VS Code's settings have it for extensions. */
export function networkOf(http: HttpSettings): Network {
  const network: Network = {};
  if (http.proxyStrictSSL === false) network.insecureSkipVerify = true;
  // Without this the environment's proxy would be used.
  if (http.proxySupport === "off") return { ...network, noProxy: "*" };
  if (http.proxy) network.proxy = http.proxy;
  if (http.noProxy && http.noProxy.length > 0) network.noProxy = http.noProxy.join(",");
  if (http.proxyAuthorization) network.proxyAuthorization = http.proxyAuthorization;
  return network;
}
