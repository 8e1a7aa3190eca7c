/** The address a service that listens on `host` can be reached at from the same machine. */
export function reachableUrl(host: string, port: number): string {
  const loopback: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "::1" };
  const name = loopback[host] ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
