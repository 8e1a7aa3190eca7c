/**
 * From which address a request comes: the socket's, or what our own proxies say of it. What anyone
 * else writes into X-Forwarded-For is worth nothing.
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** Longest chain of proxies that is followed. */
const forwardedMax = 32;

/** Tells the address of a request's caller. */
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
    // Each proxy appends the address it was called from: the last one no proxy of ours has is it.
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

/** Reads one address or network into a list; undefined when it is neither. */
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

/** IPv4 as IPv4, also on a socket of both kinds; without the name of a network interface. */
function plainAddress(address: string): string {
  const plain = address.replace(/%.*$/s, "");
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain;
}
