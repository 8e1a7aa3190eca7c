/**
 * Calls the services without messages, for answers of thousands of uploads or folders: to make
 * their messages blocks the page for many times as long as to parse their JSON.
 */
import { ConnectError } from "@connectrpc/connect";
import { codeFromHttpStatus, errorFromJson } from "@connectrpc/connect/protocol-connect";

interface JsonCall {
  /** As in `svc.api.v1.BucketUploadsService/ListUploads`. */
  readonly method: string;
  readonly request: object;
  readonly signal: AbortSignal;
  /** Left out: the page's own origin. */
  readonly baseUrl?: string;
}

/**
 * The answer as JSON has it: the contract allows to leave out members with default values, and
 * writes 64-bit numbers as numbers or texts. Fails with a `ConnectError`.
 */
export async function callJson<Answer>(call: JsonCall): Promise<Answer> {
  const { method, request, signal, baseUrl = "" } = call;
  try {
    const response = await fetch(`${baseUrl}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", "connect-protocol-version": "1" },
      body: JSON.stringify(request),
      signal,
    });
    if (!response.ok) throw await errorOf(response);
    return (await response.json()) as Answer;
  } catch (error) {
    throw ConnectError.from(error);
  }
}

async function errorOf(response: Response): Promise<ConnectError> {
  const code = codeFromHttpStatus(response.status);
  const fallback = new ConnectError(`The answer has status ${response.status}`, code);
  try {
    return errorFromJson(await response.json(), response.headers, fallback);
  } catch {
    // A proxy on the way may answer with a page of its own.
    return fallback;
  }
}
