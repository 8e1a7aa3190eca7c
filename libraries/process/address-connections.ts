import type { Socket } from "node:net";
import { addressLimitKey, inNetworks, plainAddress } from "./networks.ts";

export interface AddressLimit {
  /** Open connections of one IPv4 address, or of one IPv6 network of 64 bits. */
  readonly addressConnectionsMax: number;
  /** Addresses and networks of proxies, which may have any number. */
  readonly trustedProxies: readonly string[];
}

/**
 * Returns a function that counts a connection until it closes. For a connection beyond the limit of
 * its address, it returns false and does not count it.
 */
export function countConnections({
  addressConnectionsMax,
  trustedProxies,
}: AddressLimit): (socket: Socket) => boolean {
  const isProxy = inNetworks(trustedProxies);
  const open = new Map<string, number>();
  return (socket) => {
    const address = plainAddress(socket.remoteAddress ?? "");
    const key = addressLimitKey(address);
    const count = open.get(key) ?? 0;
    if (count >= addressConnectionsMax && !isProxy(address)) return false;
    open.set(key, count + 1);
    socket.once("close", () => {
      const left = (open.get(key) ?? 0) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
    return true;
  };
}
