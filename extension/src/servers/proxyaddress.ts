// Checks of addresses of the proxy, and the address of its statistics.

/** Returns why an address cannot be the proxy's; undefined if it can. */
export function wrongAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return "Write an address, as in http://127.0.0.1:4711/openai/v1/chat/completions.";
  const { protocol, hostname, pathname } = new URL(text);
  if (protocol !== "http:" || !["127.0.0.1", "localhost", "[::1]"].includes(hostname))
    return "The proxy serves http:// on this machine only, such as 127.0.0.1.";
  return pathname.includes("/NAME/")
    ? "Put an endpoint's name from your winnow/winnow.json in place of NAME."
    : undefined;
}

/** Returns the address of a proxy's statistics, given the address of a model behind it. */
export function statsAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  // A proxy with a token serves only paths that begin with it.
  return `${origin}${/^\/t\/[^/]+/.exec(pathname)?.[0] ?? ""}/winnow/stats`;
}
