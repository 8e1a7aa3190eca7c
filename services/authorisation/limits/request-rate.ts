/** How often somebody may ask. Each process counts for itself, from the moment it starts. */

import { isIP } from "node:net";
import type { TokenEndpointGrantContext } from "oidc-provider";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { BusyError } from "../overrides/error-answers.ts";

/** Counts requests by who makes them. */
export interface RequestRate {
  /** Counts one; gives 0, or in how many whole seconds the next one may come. */
  take(caller: string): Promise<number>;
  /** One that was counted shall not count after all. */
  giveBack(caller: string): Promise<void>;
}

const minuteSeconds = 60;

/** Allows each caller `requestsMax` requests in a minute; 0: any number. */
export function requestsPerMinute(requestsMax: number): RequestRate {
  if (requestsMax === 0) return { take: async () => 0, giveBack: async () => {} };
  const limiter = new RateLimiterMemory({ points: requestsMax, duration: minuteSeconds });
  return {
    async take(caller) {
      try {
        await limiter.consume(caller);
        return 0;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      }
    },
    async giveBack(caller) {
      await limiter.reward(caller);
    },
  };
}

/** The same for callers told by their addresses; those of one IPv6 network are one caller. */
export function addressRequestsPerMinute(requestsMax: number): RequestRate {
  const rate = requestsPerMinute(requestsMax);
  return {
    take: (address) => rate.take(networkOf(address)),
    giveBack: (address) => rate.giveBack(networkOf(address)),
  };
}

/** What handles a grant. */
export type GrantHandler = (ctx: TokenEndpointGrantContext) => Promise<void>;

/**
 * Lets a grant be asked for only so often by one client. It counts what comes from the client
 * itself, authenticated: otherwise anybody could use up the requests of another.
 */
export function limitByClient(rate: RequestRate, handler: GrantHandler): GrantHandler {
  return async (ctx) => {
    await takeTurn(rate, ctx.oidc.client.clientId);
    await handler(ctx);
  };
}

/** Counts a request of a client. Rejects with a BusyError when it asks too often. */
export async function takeTurn(rate: RequestRate, clientId: string): Promise<void> {
  const waitSeconds = await rate.take(clientId);
  if (waitSeconds > 0) {
    throw new BusyError(429, "the client asks too often", waitSeconds);
  }
}

/** What one customer or machine is given at least (RFC 6177), and chooses addresses in freely. */
const networkGroups = 4;
const groupsOfAddress = 8;

/** The network of 64 bits that an IPv6 address is in; any other address as it is. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  // As a URL has it: in lower case, without leading zeros, and with no IPv4 at its end.
  const { hostname } = new URL(`http://[${address}]`);
  const [start = [], end = []] = hostname
    .slice(1, -1)
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: groupsOfAddress - start.length - end.length }, () => "0");
  return `${[...start, ...zeros, ...end].slice(0, networkGroups).join(":")}::/64`;
}
