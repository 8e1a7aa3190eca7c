/** What is known about an answered request, for metrics and its access line. */
import type { ServerResponse } from "node:http";

/** Only what operators may see: no token, code or secret, and nothing that a person typed. */
interface RequestRecord {
  /** The caller's or its proxy's, else a new one. */
  readonly requestId: string;
  /** The path of the route, without IDs; `unknown` for all other paths. */
  route: string;
  clientId?: string | undefined;
  /** The claim `sub` of the person or program. */
  subject?: string | undefined;
  /** The kind of grant of a token request. */
  grant?: string | undefined;
  /** The error code of OAuth. */
  error?: string | undefined;
}

const records = new WeakMap<ServerResponse, RequestRecord>();

/** Begins the record of a request. */
export function beginRecord(
  response: ServerResponse,
  requestId: string,
  route = "unknown",
): RequestRecord {
  const record = { requestId, route };
  records.set(response, record);
  return record;
}

/** Adds to the record of a request what the provider found out. */
export function addToRecord(response: ServerResponse, found: Partial<RequestRecord>): void {
  Object.assign(records.get(response) ?? {}, found);
}
