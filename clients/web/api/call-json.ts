/**
 * Calls the services through the page's own server, which adds the token. The browser has only the
 * cookie of the session, which scripts cannot read.
 *
 * Answers stay plain JSON: to make messages of thousands of uploads or folders blocks the page for
 * many times as long as to parse them, and a generated client is a third of the script.
 */
import { CallError, errorOfResponse } from "./call-error.ts";

interface JsonCall<Answer> {
  /** As in `svc.api.v1.BucketUploadsService/ListUploads`. */
  readonly method: string;
  readonly request: object;
  readonly signal?: AbortSignal;
  /** Reads the body of an answer; JSON by default. */
  readonly read?: (response: Response) => Promise<Answer>;
  /** Left out: the page's own origin. */
  readonly baseUrl?: string;
}

/**
 * The answer as JSON has it: the contract allows to leave out members with default values, and
 * writes 64-bit numbers as numbers or texts. Fails with a `CallError`.
 */
export async function callJson<Answer>(call: JsonCall<Answer>): Promise<Answer> {
  const { method, request, signal, read = readJson, baseUrl = "" } = call;
  try {
    const response = await fetch(`${baseUrl}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", "connect-protocol-version": "1" },
      body: JSON.stringify(request),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await errorOfResponse(response);
    return await read(response);
  } catch (error) {
    throw CallError.from(error);
  }
}

async function readJson<Answer>(response: Response): Promise<Answer> {
  return (await response.json()) as Answer;
}
