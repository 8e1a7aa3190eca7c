/** What an operation implements, and what it returns to be sent in the encoding of the call. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import type { CallDetails } from "./call-details.ts";

/**
 * The memory that each call has from its start, for its body and an answer of unknown size. Most
 * pages fit.
 */
export const reservedBytes = 64 * 1024;

/** What an operation knows about the call that it serves. */
export interface Call {
  /** The verified token, which has the scope of the operation. */
  readonly caller: AccessToken;
  /** Aborts when the caller disconnects or the deadline passes. */
  readonly signal: AbortSignal;
  /** Filled by the operation. */
  readonly record: CallDetails;
  /** Calls the listener when the response is closed: complete or not. */
  readonly onClosed: (listener: () => void) => void;
  /** Sets how much memory the answer takes. Throws `ApiError` if there is not so much. */
  readonly resizeAnswer: (bytes: number) => void;
}

/** Serves one operation. Throws `ApiError` when the request cannot be answered. */
export type Handler<Input extends DescMessage> = (
  request: MessageShape<Input>,
  call: Call,
) => Promise<Answer>;

/** The result of a call. Every encoding is made from the same JSON documents. */
export type Answer = BufferedAnswer | StreamedAnswer;

/** An answer that is held in memory. */
export interface BufferedAnswer {
  /** The contract's JSON, in UTF-8. */
  readonly json: Buffer<ArrayBuffer>;
  /** Returns the memory of `json` to its pool. Called when nothing reads `json` any more. */
  readonly release: () => void;
}

/** An answer that may be too large to hold. One of the two methods is called, once. */
export interface StreamedAnswer {
  /** Writes the contract's JSON in UTF-8 while it is made. */
  writeJson(write: WriteChunk): Promise<void>;
  /** Makes the whole message in binary protobuf. Throws `ApiError` ANSWER_TOO_LARGE. */
  encodeBinary(): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Sends a chunk of an answer. Settles when there is room for the next one; the bytes may change
 * from then on.
 */
export type WriteChunk = (chunk: Uint8Array<ArrayBuffer>) => Promise<void>;
