/**
 * Limits the memory of answers that wait for slow readers: in total, for each tenant and for each
 * of its clients.
 */
import type { AccessToken } from "@stowage/access-token";
import { untilAborted } from "@stowage/process";
import { type Call, reservedBytes } from "../calls/handler.ts";
import { ApiError } from "../model/api-error.ts";
import type { RunningCall } from "./running-call.ts";

/** Waiting calls cost memory as well: HTTP/2 lets in up to 64 KiB of each body. */
const waitingMax = 1000;

/** What one tenant may use, of the memory and of the places of waiting calls. */
const tenantShare = 1 / 2;
const clientShare = tenantShare / 2;
/** The memory for tenants without another answer. */
const reservedShare = 1 / 4;
/** The largest answer that may use reserved memory. */
const singleAnswerShare = reservedShare / 2;

interface AnswerMemoryOptions {
  readonly bytesMax: number;
  /** After this wait, asking another server is better for the caller. Default 10,000. */
  readonly waitMaxMs?: number;
  /** An answer that is held for so long may be broken off while others wait. Default: none is. */
  readonly revocableAfterMs?: number;
}

/** The keys of a client and its tenant. */
interface Caller {
  readonly tenant: string;
  readonly client: string;
}

interface WaitingCall {
  readonly caller: Caller;
  readonly grant: () => void;
}

/** An answer for which room is reserved. */
interface HeldAnswer {
  bytes: number;
  readonly sinceMs: number;
  isRevoked: boolean;
  readonly abort: RunningCall["abort"];
}

/**
 * Counts the bytes of each answer from before its request is read until its response is closed. A
 * call without room waits before its body is read. An answer that turns out larger than the room
 * left is dropped.
 *
 * - The answers of one tenant may use half of `bytesMax`, and those of one client half of that.
 * - All together may use three quarters. The last quarter is for tenants without another answer, so
 *   that the slow readers of a few do not lock out all others. One answer may use half of it.
 * - The only answer of a tenant may exceed the tenant's half, within the three quarters.
 * - While a call waits though its tenant and client have room left, the largest of the answers that
 *   are held for long is broken off, one in each tenth of the longest wait.
 */
export class AnswerMemory {
  readonly #bytesMax: number;
  readonly #waitMaxMs: number;
  readonly #revocableAfterMs: number;
  readonly #used = new Usage();
  readonly #places = new Usage();
  readonly #waiting = new Set<WaitingCall>();
  readonly #held = new Set<HeldAnswer>();
  #sweep: NodeJS.Timeout | undefined;

  constructor({
    bytesMax,
    waitMaxMs = 10_000,
    revocableAfterMs = Number.POSITIVE_INFINITY,
  }: AnswerMemoryOptions) {
    this.#bytesMax = bytesMax;
    this.#waitMaxMs = waitMaxMs;
    this.#revocableAfterMs = revocableAfterMs;
  }

  /** The bytes that are counted now. */
  get bytes(): number {
    return this.#used.total;
  }

  /**
   * Waits for room, at most `waitMaxMs`. Returns a function that sets the size of the answer. Both
   * throw `ApiError` TOO_MANY_CALLS if the client or its tenant has used up its share, and
   * SERVER_BUSY if all tenants have, or after the longest wait. The end of the response releases
   * the room.
   */
  async reserve(
    { organisationId, clientId }: Pick<AccessToken, "organisationId" | "clientId">,
    { signal, onClosed, abort }: Pick<RunningCall, "signal" | "onClosed" | "abort">,
  ): Promise<Call["resizeAnswer"]> {
    const tenant = JSON.stringify([organisationId]);
    const caller = { tenant, client: JSON.stringify([organisationId, clientId]) };
    if (this.#hasRoom(caller, reservedBytes)) this.#used.add(caller, reservedBytes);
    else await this.#wait(caller, signal);
    const held: HeldAnswer = {
      bytes: reservedBytes,
      sinceMs: performance.now(),
      isRevoked: false,
      abort,
    };
    this.#held.add(held);
    onClosed(() => {
      this.#held.delete(held);
      this.#release(caller, held.bytes);
    });
    return (bytes) => {
      if (!this.#held.has(held)) return;
      const more = bytes - held.bytes;
      if (more > 0 && !this.#hasRoom(caller, more, held.bytes)) throw this.#noRoom(more);
      held.bytes = bytes;
      if (more > 0) this.#used.add(caller, more);
      else this.#release(caller, -more);
    };
  }

  /** @param held what the same answer has already. */
  #hasRoom(caller: Caller, more: number, held = 0): boolean {
    const total = this.#used.total + more;
    const ofTenant = this.#used.of(caller.tenant) + more;
    const isOnly = ofTenant === held + more;
    const isSmall = ofTenant <= this.#bytesMax * singleAnswerShare;
    if (isOnly && isSmall) return total <= this.#bytesMax;
    return total <= this.#sharedMax && (isOnly || this.#isWithinShare(caller, more));
  }

  #isWithinShare({ tenant, client }: Caller, more: number): boolean {
    return (
      this.#used.of(tenant) + more <= this.#bytesMax * tenantShare &&
      this.#used.of(client) + more <= this.#bytesMax * clientShare
    );
  }

  /** What tenants may use together that have several answers, or large ones. */
  get #sharedMax(): number {
    return this.#bytesMax * (1 - reservedShare);
  }

  #noRoom(bytes: number): ApiError {
    if (this.#used.total + bytes > this.#sharedMax) return serverBusy();
    const message = "too many answers wait for you to read them; read them, then try again";
    return new ApiError("TOO_MANY_CALLS", message);
  }

  async #wait(caller: Caller, signal: AbortSignal): Promise<void> {
    const isPlaceFree =
      this.#places.total < waitingMax &&
      this.#places.of(caller.tenant) < waitingMax * tenantShare &&
      this.#places.of(caller.client) < waitingMax * clientShare;
    if (!isPlaceFree) throw this.#noRoom(reservedBytes);
    const { promise, resolve: grant, reject } = Promise.withResolvers<void>();
    const waiting = { caller, grant };
    this.#waiting.add(waiting);
    this.#places.add(caller, 1);
    this.#sweepLater();
    const tooLate = setTimeout(() => reject(serverBusy()), this.#waitMaxMs);
    try {
      await untilAborted(promise, signal);
    } catch (error) {
      // Room may have been granted at the same moment. Others that wait can have it.
      if (!this.#waiting.delete(waiting)) this.#release(caller, reservedBytes);
      throw error;
    } finally {
      this.#places.add(caller, -1);
      clearTimeout(tooLate);
    }
  }

  #sweepLater(): void {
    this.#sweep ??= setTimeout(() => {
      this.#sweep = undefined;
      const hasShareLeft = ({ caller }: WaitingCall) => this.#isWithinShare(caller, reservedBytes);
      if ([...this.#waiting].some(hasShareLeft)) this.#revokeLargest();
      if (this.#waiting.size > 0) this.#sweepLater();
    }, this.#waitMaxMs / 10).unref();
  }

  #revokeLargest(): void {
    const latestMs = performance.now() - this.#revocableAfterMs;
    // An answer of the reserved size, such as a tree in JSON, would leave room for one call only.
    const [largest] = [...this.#held]
      .filter(({ sinceMs, bytes }) => sinceMs <= latestMs && bytes > reservedBytes)
      .filter(({ isRevoked }) => !isRevoked)
      .sort((one, other) => other.bytes - one.bytes);
    if (largest === undefined) return;
    // It may stay for a while: on HTTP/1.1, behind an earlier answer of its connection.
    largest.isRevoked = true;
    largest.abort(answerRevoked());
  }

  #release(caller: Caller, bytes: number): void {
    this.#used.add(caller, -bytes);
    this.#grantWaiting();
  }

  /** Resumes waiting calls, the oldest first, as far as there is room. */
  #grantWaiting(): void {
    for (const waiting of this.#waiting) {
      if (this.#used.total + reservedBytes > this.#bytesMax) return;
      if (!this.#hasRoom(waiting.caller, reservedBytes)) continue;
      this.#waiting.delete(waiting);
      this.#used.add(waiting.caller, reservedBytes);
      waiting.grant();
    }
  }
}

/** How much of something is used in total, and by each tenant and each client. */
class Usage {
  readonly #counts = new Map<string, number>();
  total = 0;

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add({ tenant, client }: Caller, change: number): void {
    this.total += change;
    for (const key of [tenant, client]) {
      const count = this.of(key) + change;
      if (count === 0) this.#counts.delete(key);
      else this.#counts.set(key, count);
    }
  }
}

function answerRevoked(): ApiError {
  const message = "the answer was read slowly, and others wait; try again, and read faster";
  return new ApiError("SERVER_BUSY", message);
}

function serverBusy(): ApiError {
  return new ApiError("SERVER_BUSY", "too many answers are waiting to be read; try again");
}
