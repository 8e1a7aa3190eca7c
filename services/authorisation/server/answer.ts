/** Small answers in JSON, in the form of OAuth errors (RFC 6749 section 5.2). */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";

/** Refuses a request before it reaches the provider. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: { status: number; error: string; description: string; headers?: OutgoingHttpHeaders },
): void {
  const body = JSON.stringify({ error: refusal.error, error_description: refusal.description });
  response.writeHead(refusal.status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    // A body may be on its way that nobody will read.
    ...(hasBody(request) && { Connection: "close" }),
    ...refusal.headers,
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
