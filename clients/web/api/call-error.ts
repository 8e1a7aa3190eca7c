/** What the page needs to know of a call that failed. */
import { Code, ConnectError } from "@connectrpc/connect";
import { codeFromHttpStatus, errorFromJson } from "@connectrpc/connect/protocol-connect";
import { ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";

/** What passes by itself: the service or its database is away, or too busy. */
const passingCodes: readonly Code[] = [Code.Unavailable, Code.Unknown, Code.DeadlineExceeded];

export function isPassing(error: unknown): boolean {
  return passingCodes.includes(ConnectError.from(error).code);
}

/** Nobody is signed in, or the session has ended. */
export function isUnauthenticated(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Unauthenticated;
}

/** The stable reason, as `api/errors.md` lists them. Empty if the error has none. */
export function reasonOf(error: unknown): string {
  return ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason ?? "";
}

/** What the service said, for people. */
export function messageOf(error: unknown): string {
  return ConnectError.from(error).rawMessage;
}

/** The error in an answer to a request that no generated client made. */
export async function errorOfResponse(response: Response): Promise<ConnectError> {
  const code = codeFromHttpStatus(response.status);
  const fallback = new ConnectError(`The answer has status ${response.status}`, code);
  try {
    return errorFromJson(await response.json(), response.headers, fallback);
  } catch {
    // A proxy on the way may answer with a page of its own.
    return fallback;
  }
}
