import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";

/**
 * What to tell people when a call fails: the act, the code and reason by which `api/errors.md`
 * knows the refusal, and the service's own words.
 */
export function callError(act: string, error: unknown): Error {
  if (!(error instanceof ConnectError)) return new Error(act, { cause: error });
  const [info] = error.findDetails(ErrorInfoSchema);
  const reason = info === undefined ? "" : ` ${info.reason}`;
  return new Error(`${act}: ${codeName(error.code)}${reason}: ${error.rawMessage}`);
}

function codeName(code: Code): string {
  return Code[code].replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}
