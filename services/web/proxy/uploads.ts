/** Requests to the uploads service, with the token of a session. */
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Logger } from "@stowage/process";
import { WebError } from "../model/web-error.ts";
import type { OpenSession } from "../session/sessions.ts";
import { discard, type Upstream } from "./upstream.ts";

interface UploadsOptions {
  /** Where this server reaches the uploads service. */
  readonly baseUrl: string;
  readonly upstream: Upstream;
  readonly logger: Logger;
}

interface UploadsRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** Sends a request for a session, and resolves with the head of the answer. */
export type ForwardToUploads = (
  open: OpenSession,
  request: UploadsRequest,
) => Promise<IncomingMessage>;

/**
 * Makes a {@link ForwardToUploads}. A token that the service refuses is replaced once: it may have
 * been revoked, and then the issuer refuses to replace it, which ends the session.
 */
export function forwardToUploads({ baseUrl, upstream, logger }: UploadsOptions): ForwardToUploads {
  const origin = new URL(baseUrl);
  const prefix = origin.pathname.replace(/\/$/, "");

  const send = async (accessToken: string, { headers, path, ...request }: UploadsRequest) => {
    const all = { ...headers, authorization: `Bearer ${accessToken}` };
    try {
      return await upstream.open(origin, prefix + path, { ...request, headers: all });
    } catch (cause) {
      if (request.signal.aborted) throw request.signal.reason;
      throw new WebError("UPLOADS_UNAVAILABLE", "the uploads service cannot be reached", { cause });
    }
  };

  return async (open, request) => {
    const { accessToken } = open.tokens;
    const first = await send(accessToken, request);
    if (first.statusCode !== 401) return first;
    discard(first);
    const renewed = await open.renew(accessToken);
    const second = await send(renewed.accessToken, request);
    if (second.statusCode !== 401) return second;
    discard(second);
    const advice = "compare AUTH_URL, AUDIENCE and the clocks of both services";
    logger.error(`the uploads service refuses new tokens: ${advice}`);
    throw new WebError("UPLOADS_UNAVAILABLE", "the uploads service refuses this server's tokens");
  };
}

/** Headers of a request that both calls and content pass on. */
export const tracingHeaders = ["traceparent", "tracestate", "x-request-id"];
