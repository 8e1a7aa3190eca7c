import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";

/** What an operation knows of the call that it serves. */
export interface Call {
  /** The verified token, which has the scope of the operation. */
  readonly caller: AccessToken;
  /** Aborts when the caller goes away or its time is up. */
  readonly signal: AbortSignal;
}

/**
 * Takes a piece of an answer. Settles once there is room for the next one; the bytes may change
 * from then on.
 */
export type WriteChunk = (chunk: Uint8Array<ArrayBuffer>) => Promise<void>;

/** An answer that may be too large to hold: it is written in chunks, while it is made. */
export type AnswerInChunks = (write: WriteChunk) => Promise<void>;

/** An operation: what it answers, in either of two forms that say the same. */
export interface UnaryHandler<Input extends DescMessage, Output extends DescMessage> {
  readonly message: (request: MessageShape<Input>, call: Call) => Promise<MessageShape<Output>>;
  /** As the contract's JSON, in UTF-8. */
  readonly json: (
    request: MessageShape<Input>,
    call: Call,
  ) => Promise<Uint8Array<ArrayBuffer> | AnswerInChunks>;
}
