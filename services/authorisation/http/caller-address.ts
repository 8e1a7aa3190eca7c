/** The address of a caller: the socket's, or the one that a trusted proxy has forwarded. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { inNetworks, plainAddress } from "@stowage/process";

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
  const isTrusted = inNetworks(trustedProxies);

  return ({ socket, headers }) => {
    const direct = plainAddress(socket.remoteAddress ?? "");
    const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
    // Each proxy appends the address of its caller: the last that is not a proxy's is the caller.
    let caller = direct;
    for (const text of forwarded.slice(-forwardedMax).reverse()) {
      if (!isTrusted(caller)) return caller;
      const address = plainAddress(withoutPort(text.trim()));
      if (isIP(address) === 0) return caller;
      caller = address;
    }
    return caller;
  };
}

/** Some proxies append the port: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const [, bracketed, dotted] =
    /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/.exec(text) ?? [];
  return bracketed ?? dotted ?? text;
}
