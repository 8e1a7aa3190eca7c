/** Limits how often a caller may ask. Each process counts for itself. */
import { addressLimitKey } from "@stowage/process";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { BusyError } from "./busy-error.ts";

/** Counts requests by caller. */
export interface RateLimiter {
  /** Counts a request. Returns 0, or the whole seconds until the next request is allowed. */
  consume(caller: string): Promise<number>;
  /** Takes back a counted request. */
  refund(caller: string): Promise<void>;
}

const minuteSeconds = 60;

/**
 * Allows each caller `requestsMax` requests in a minute; 0: any number.
 *
 * @param onRefusal is called for each request that is not allowed
 */
export function requestsPerMinute(requestsMax: number, onRefusal: () => void): RateLimiter {
  if (requestsMax === 0) return { consume: async () => 0, refund: async () => {} };
  const limiter = new RateLimiterMemory({ points: requestsMax, duration: minuteSeconds });
  return {
    async consume(caller) {
      try {
        await limiter.consume(caller);
        return 0;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        onRefusal();
        return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      }
    },
    async refund(caller) {
      await limiter.reward(caller);
    },
  };
}

/** The same for callers known by their address. All addresses of an IPv6 network count as one. */
export function addressRequestsPerMinute(requestsMax: number, onRefusal: () => void): RateLimiter {
  const limiter = requestsPerMinute(requestsMax, onRefusal);
  return {
    consume: (address) => limiter.consume(addressLimitKey(address)),
    refund: (address) => limiter.refund(addressLimitKey(address)),
  };
}

/** Counts a token request of an authenticated client. Rejects with a BusyError at the limit. */
export async function countRequest(limiter: RateLimiter, clientId: string): Promise<void> {
  const waitSeconds = await limiter.consume(clientId);
  if (waitSeconds > 0) throw new BusyError(429, "the client asks too often", waitSeconds);
}
