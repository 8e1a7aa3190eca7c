/**
 * Calls the services through the page's own server, which adds the token. The browser has only the
 * cookie of the session, which scripts cannot read.
 *
 * Answers stay plain JSON: to make messages of thousands of uploads or folders blocks the page for
 * many times as long as to parse them, and a generated client is a third of the script.
 */
import { CallError, errorOfResponse } from "./call-error.ts";

/** The reason of the error of a call whose answer is longer than the call allows. */
export const answerTooLarge = "ANSWER_TOO_LARGE";

interface JsonCall {
  /** As in `svc.api.v1.BucketUploadsService/ListUploads`. */
  readonly method: string;
  readonly request: object;
  readonly signal?: AbortSignal;
  /** When the answer is longer, the call is cancelled and fails as `answerTooLarge`. */
  readonly answerBytesMax?: number;
  /** Left out: the page's own origin. */
  readonly baseUrl?: string;
}

/**
 * The answer as JSON has it: the contract allows to leave out members with default values, and
 * writes 64-bit numbers as numbers or texts. Fails with a `CallError`.
 */
export async function callJson<Answer>(call: JsonCall): Promise<Answer> {
  const { method, request, signal, answerBytesMax, baseUrl = "" } = call;
  try {
    const response = await fetch(`${baseUrl}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", "connect-protocol-version": "1" },
      body: JSON.stringify(request),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await errorOfResponse(response);
    if (answerBytesMax === undefined) return (await response.json()) as Answer;
    return JSON.parse(await textWithin(answerBytesMax, response)) as Answer;
  } catch (error) {
    throw CallError.from(error);
  }
}

async function textWithin(bytesMax: number, { body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // Leaving the loop cancels the call.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      const message = `The answer is longer than ${bytesMax} bytes`;
      throw new CallError("resource_exhausted", message, { reason: answerTooLarge });
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
