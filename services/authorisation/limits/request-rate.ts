/** Limits how often a caller may ask. Each process counts for itself. */
import { addressOwner } from "@stowage/process";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { BusyError } from "../overrides/error-answers.ts";

/** Counts requests by caller. */
export interface RequestRate {
  /** Counts a request. Returns 0, or the whole seconds until the next request is allowed. */
  take(caller: string): Promise<number>;
  /** Takes back a counted request. */
  giveBack(caller: string): Promise<void>;
}

const minuteSeconds = 60;

/**
 * Allows each caller `requestsMax` requests in a minute; 0: any number.
 *
 * @param onRefusal is called for each request that is not allowed
 */
export function requestsPerMinute(requestsMax: number, onRefusal: () => void): RequestRate {
  if (requestsMax === 0) return { take: async () => 0, giveBack: async () => {} };
  const limiter = new RateLimiterMemory({ points: requestsMax, duration: minuteSeconds });
  return {
    async take(caller) {
      try {
        await limiter.consume(caller);
        return 0;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        onRefusal();
        return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      }
    },
    async giveBack(caller) {
      await limiter.reward(caller);
    },
  };
}

/** The same for callers known by their address. All addresses of an IPv6 network count as one. */
export function addressRequestsPerMinute(requestsMax: number, onRefusal: () => void): RequestRate {
  const rate = requestsPerMinute(requestsMax, onRefusal);
  return {
    take: (address) => rate.take(addressOwner(address)),
    giveBack: (address) => rate.giveBack(addressOwner(address)),
  };
}

/** Counts a token request of an authenticated client. Rejects with a BusyError at the limit. */
export async function countRequest(rate: RequestRate, clientId: string): Promise<void> {
  const waitSeconds = await rate.take(clientId);
  if (waitSeconds > 0) throw new BusyError(429, "the client asks too often", waitSeconds);
}
