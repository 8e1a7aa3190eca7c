/** IP addresses, and networks of them such as `10.0.0.0/8`. */
import { BlockList, isIP } from "node:net";

/** Returns whether an address is one of the given ones or in one of the given networks. */
export function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network === undefined) {
      throw new TypeError(`Cannot use the network ${text}: need an address or a network`);
    }
    const { address, prefix } = network;
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, prefix, familyOf(address));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

/** Parses an address or a network; undefined if it is neither. */
export function parseNetwork(text: string): { address: string; prefix?: number } | undefined {
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || rest.length > 0) return undefined;
  if (prefix === undefined) return { address };
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return undefined;
  return { address, prefix: Number(prefix) };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

/**
 * The key under which limits count an address: an IPv4 address itself, and the network of 64 bits
 * of an IPv6 address, in which one subscriber chooses addresses freely.
 */
export function addressLimitKey(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  // A URL has the address in its one canonical form (RFC 5952).
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [start = "", end] = canonical.split("::");
  const groups = start.split(":").filter((group) => group !== "");
  const after = end === undefined ? [] : end.split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: 8 - groups.length - after.length }, () => "0");
  return `${[...groups, ...zeros, ...after].slice(0, 4).join(":")}::/64`;
}

/** Removes the prefix `::ffff:` of an IPv4 address, and the zone of an IPv6 address. */
export function plainAddress(address: string): string {
  const plain = address.replace(/%.*$/s, "");
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain;
}
