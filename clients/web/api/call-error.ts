/** What the page needs to know of a call that failed. */
import { BinaryReader } from "@bufbuild/protobuf/wire";

/** A call of the Connect protocol that failed: by the answer of a service, or on the way. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** As the protocol writes it: `not_found`, `unavailable`. */
  readonly code: string;
  /** The stable reason, as `api/errors.md` lists them. Empty if the error has none. */
  readonly reason: string;

  constructor(code: string, message: string, options: ErrorOptions & { reason?: string } = {}) {
    super(message, options);
    this.code = code;
    this.reason = options.reason ?? "";
  }

  /** Makes an error of what a request threw. Without an answer, the network has failed. */
  static from(error: unknown): CallError {
    if (error instanceof CallError) return error;
    const isAborted = error instanceof Error && error.name === "AbortError";
    const message = error instanceof Error ? error.message : String(error);
    return new CallError(isAborted ? "canceled" : "unavailable", message, { cause: error });
  }
}

/** Temporary failures: the service or its database is away, or too busy. */
const temporaryCodes: readonly string[] = ["unavailable", "unknown", "deadline_exceeded"];

export function isTemporary(error: unknown): boolean {
  return temporaryCodes.includes(CallError.from(error).code);
}

/** Nobody is signed in, or the session has ended. */
export function isUnauthenticated(error: unknown): boolean {
  return CallError.from(error).code === "unauthenticated";
}

/** The stable reason; empty if the error has none. */
export function reasonOf(error: unknown): string {
  return CallError.from(error).reason;
}

/** What the service said, for people. Empty for what the notices of the page explain. */
export function messageOf(error: unknown): string {
  return isTemporary(error) || isUnauthenticated(error) ? "" : CallError.from(error).message;
}

/** The error in an answer, as Connect writes it. */
interface JsonError {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

export async function errorOfResponse(response: Response): Promise<CallError> {
  const { status } = response;
  try {
    const { code, message = "", details = [] } = (await response.json()) as JsonError;
    if (typeof code === "string")
      return new CallError(code, message, { reason: inDetails(details) });
  } catch {
    // A proxy on the way may answer with a page of its own.
  }
  return new CallError(codeOfStatus(status), `The answer has status ${status}`);
}

/** The reason is the first field of `google.rpc.ErrorInfo`. */
function inDetails(details: NonNullable<JsonError["details"]>): string {
  const info = details.find(({ type }) => type === "google.rpc.ErrorInfo");
  if (info === undefined) return "";
  const reader = new BinaryReader(Uint8Array.from(atob(info.value), (byte) => byte.charCodeAt(0)));
  const [field] = reader.tag();
  return field === 1 ? reader.string() : "";
}

/** For answers that are not Connect's: its section "HTTP to Error Code". */
function codeOfStatus(status: number): string {
  const codes: Readonly<Record<number, string>> = {
    400: "internal",
    401: "unauthenticated",
    403: "permission_denied",
    404: "unimplemented",
    429: "unavailable",
    502: "unavailable",
    503: "unavailable",
    504: "unavailable",
  };
  return codes[status] ?? "unknown";
}
