import type { Server, Socket } from "node:net";
import { addressLimitKey, inNetworks, plainAddress } from "./networks.ts";

export interface AddressLimit {
  /** Open connections of one IPv4 address, or of one IPv6 network of 64 bits. */
  readonly addressConnectionsMax: number;
  /** Addresses and networks of proxies, which may have any number. */
  readonly trustedProxies: readonly string[];
  /** Called for each connection that is refused. */
  readonly onRefused?: OnRefused;
}

/** @param limit the one that the connection would exceed: of its address, or of all together. */
export type OnRefused = (limit: "address" | "all", address: string | undefined) => void;

/**
 * Counts the connections of a server until they close. Returns a function that tells whether a new
 * one is allowed. Those beyond the limit of their address are not, and are not counted.
 */
export function countConnections(
  server: Server,
  { addressConnectionsMax, trustedProxies, onRefused }: AddressLimit,
): (socket: Socket) => boolean {
  server.on("drop", (dropped) => onRefused?.("all", dropped?.remoteAddress));
  const isProxy = inNetworks(trustedProxies);
  const open = new Map<string, number>();
  return (socket) => {
    const address = plainAddress(socket.remoteAddress ?? "");
    const key = addressLimitKey(address);
    const count = open.get(key) ?? 0;
    if (count >= addressConnectionsMax && !isProxy(address)) {
      onRefused?.("address", address);
      return false;
    }
    open.set(key, count + 1);
    socket.once("close", () => {
      const left = (open.get(key) ?? 0) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    });
    return true;
  };
}
