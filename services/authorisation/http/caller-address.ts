/** The address of a caller: the socket's, or the one that a trusted proxy has forwarded. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** The longest chain of proxies. */
const forwardedMax = 32;

/** Returns the address of a request's caller. */
export type CallerAddress = (request: IncomingMessage) => string;

/**
 * Makes a {@link CallerAddress}.
 *
 * @param trustedProxies addresses, or networks such as `10.0.0.0/8`, of the proxies whose
 *   X-Forwarded-For is believed
 */
export function callerAddress(trustedProxies: readonly string[]): CallerAddress {
  const trusted = proxyList(trustedProxies);

  return ({ socket, headers }) => {
    const direct = plainAddress(socket.remoteAddress ?? "");
    const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
    // Each proxy appends the address of its caller. The last address that is no proxy is it.
    let caller = direct;
    for (const text of forwarded.slice(-forwardedMax).reverse()) {
      if (!isTrusted(trusted, caller)) return caller;
      const address = plainAddress(text.trim());
      if (isIP(address) === 0) return caller;
      caller = address;
    }
    return caller;
  };
}

/** Parses an address or a network; undefined if it is neither. */
export function parseProxy(text: string): { address: string; prefix?: number } | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || rest.length > 0) return undefined;
  if (prefix === undefined) return { address };
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return undefined;
  return { address, prefix: Number(prefix) };
}

function proxyList(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of proxies) {
    const proxy = parseProxy(text);
    if (proxy === undefined) {
      throw new TypeError(`Cannot trust the proxy ${text}: need an address or a network`);
    }
    const { address, prefix } = proxy;
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, prefix, familyOf(address));
  }
  return list;
}

function isTrusted(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

/** IPv4 addresses without the prefix of a dual-stack socket; IPv6 without an interface name. */
function plainAddress(address: string): string {
  const plain = address.replace(/%.*$/s, "");
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain;
}
