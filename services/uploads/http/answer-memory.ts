/** Limits the memory of answers that wait for slow readers, in total and for each tenant. */
import type { DescMessage } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { untilAborted } from "@stowage/process";
import { ApiError } from "../model/api-error.ts";
import type { Call, Handler, StreamedAnswer } from "./handler.ts";

/** Reserved for the body of a call, and for an answer of unknown size. Most pages fit. */
const expectedBytes = 64 * 1024;
/** Waiting calls cost memory as well: HTTP/2 lets in up to 64 KiB of each body. */
const waitingMax = 1000;

interface WaitingCall {
  readonly tenant: string;
  readonly grant: () => void;
}

/**
 * Counts the bytes of each answer from before its request is read until its response is closed. All
 * answers together may use `bytesMax`, and those of one tenant half of that. A call without room
 * waits before its body is read. An answer that turns out larger than the room left is dropped.
 */
export class AnswerMemory {
  readonly #bytesMax: number;
  readonly #bytesOfTenants = new Map<string, number>();
  readonly #waiting = new Set<WaitingCall>();
  #bytes = 0;

  constructor({ bytesMax }: { bytesMax: number }) {
    this.#bytesMax = bytesMax;
  }

  /** The bytes that are counted now. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Waits for room. Returns a function that sets the size of the answer. Both throw `ApiError`
   * TOO_MANY_CALLS if the tenant has used up its half, and SERVER_BUSY if all tenants have used up
   * the whole. The end of the response releases the room.
   */
  async reserve(
    { organisationId: tenant = "" }: AccessToken,
    { signal, onClosed }: Pick<Call, "signal" | "onClosed">,
  ): Promise<Call["resizeAnswer"]> {
    if (this.#hasRoom(tenant, expectedBytes)) this.#add(tenant, expectedBytes);
    else await this.#wait(tenant, signal);
    let reserved = expectedBytes;
    let isClosed = false;
    onClosed(() => {
      isClosed = true;
      this.#add(tenant, -reserved);
      this.#grantWaiting();
    });
    return (bytes) => {
      if (isClosed) return;
      const isAlone = this.#bytesOfTenants.get(tenant) === reserved;
      const more = bytes - reserved;
      if (more > 0 && !this.#hasRoom(tenant, more, isAlone)) throw this.#noRoom(more);
      this.#add(tenant, more);
      reserved = bytes;
      if (more < 0) this.#grantWaiting();
    };
  }

  /** @param isAlone the tenant has no other answer; a single one may exceed the tenant's half. */
  #hasRoom(tenant: string, bytes: number, isAlone = false): boolean {
    const ofTenant = (this.#bytesOfTenants.get(tenant) ?? 0) + bytes;
    return this.#bytes + bytes <= this.#bytesMax && (isAlone || ofTenant <= this.#bytesMax / 2);
  }

  #noRoom(bytes: number): ApiError {
    if (this.#bytes + bytes > this.#bytesMax) {
      return new ApiError("SERVER_BUSY", "too many answers are waiting to be read; try again");
    }
    const message = "too many answers wait for you to read them; read them, then try again";
    return new ApiError("TOO_MANY_CALLS", message);
  }

  async #wait(tenant: string, signal: AbortSignal): Promise<void> {
    const ofTenant = [...this.#waiting].filter((other) => other.tenant === tenant).length;
    if (this.#waiting.size >= waitingMax || ofTenant >= waitingMax / 2) {
      throw this.#noRoom(expectedBytes);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { tenant, grant: resolve };
    this.#waiting.add(waiting);
    try {
      await untilAborted(promise, signal);
    } catch (error) {
      // Room may have been granted at the same moment.
      if (!this.#waiting.delete(waiting)) this.#add(tenant, -expectedBytes);
      throw error;
    }
  }

  /** Resumes waiting calls, the oldest first, as far as there is room. */
  #grantWaiting(): void {
    for (const waiting of this.#waiting) {
      if (this.#bytes + expectedBytes > this.#bytesMax) return;
      if (!this.#hasRoom(waiting.tenant, expectedBytes)) continue;
      this.#waiting.delete(waiting);
      this.#add(waiting.tenant, expectedBytes);
      waiting.grant();
    }
  }

  #add(tenant: string, bytes: number): void {
    const ofTenant = (this.#bytesOfTenants.get(tenant) ?? 0) + bytes;
    this.#bytes += bytes;
    if (ofTenant === 0) this.#bytesOfTenants.delete(tenant);
    else this.#bytesOfTenants.set(tenant, ofTenant);
  }
}

/** Wraps an operation so that its answers count. */
export function countAnswers<Input extends DescMessage>(handler: Handler<Input>): Handler<Input> {
  return async (request, call) => {
    const answer = await handler(request, call);
    if (!("json" in answer)) return countBinary(answer, call.resizeAnswer);
    try {
      call.resizeAnswer(answer.json.length);
    } catch (error) {
      answer.release();
      throw error;
    }
    return answer;
  };
}

function countBinary(answer: StreamedAnswer, resize: Call["resizeAnswer"]): StreamedAnswer {
  return {
    ...answer,
    async encodeBinary() {
      const message = await answer.encodeBinary();
      resize(message.length);
      return message;
    },
  };
}
