/** How often somebody may ask. Each process counts for itself, from the moment it starts. */
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { networkOf } from "./network-of.ts";

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
