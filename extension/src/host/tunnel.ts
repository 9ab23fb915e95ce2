/** How the browser comes to VS Code where a sign-in may not come back. */
export interface PlainAddress {
  /** Where VS Code is open now, as in `http://192.168.1.5:8080`. */
  origin: string;
  /** The same through a tunnel. */
  local: string;
  /** The command that makes the tunnel, on the computer of the browser. */
  command: string;
}

/**
 * Tells of an address that is neither https nor the browser's own computer:
 * OAuth wants one of these for the way back, and most sign-in pages insist.
 *
 * @param url where the browser is to come back
 * @returns undefined for an address that is fine
 */
export function plainAddress(url: string): PlainAddress | undefined {
  const { protocol, hostname, port, origin } = new URL(url);
  if (protocol !== "http:" || /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return undefined;
  const at = port === "" ? "80" : port;
  // Below 1024 a user's own programs may not listen.
  const mine = Number(at) < 1024 ? String(Number(at) + 8000) : at;
  return {
    origin,
    local: `http://localhost:${mine}`,
    command: `ssh -L ${mine}:localhost:${at} ${hostname}`,
  };
}
