/** Short answers: JSON, errors in the form of Connect, redirects, and pages of text. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";
import { errorCodes, type Reason, type WebError } from "../model/web-error.ts";

/** Handles one request to its end. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const retrySoonSeconds = 1;

/** Errors after which a browser may try again soon. */
const temporaryReasons: ReadonlySet<Reason> = new Set<Reason>([
  "CONTENT_UNAVAILABLE",
  "DATABASE_UNAVAILABLE",
  "ISSUER_UNAVAILABLE",
  "TOO_MANY_CALLS",
  "UPLOADS_UNAVAILABLE",
]);

/** Sends a short answer. Does nothing when the browser is gone, or an answer has begun. */
export function send(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array = "",
): void {
  if (response.headersSent || response.destroyed) return;
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
  const { method } = response.req;
  response.writeHead(status, {
    "Cache-Control": "no-store",
    ...headers,
    ...(status !== 304 && { "Content-Length": length }),
  });
  response.end(method === "HEAD" ? undefined : body);
}

export function sendJson(
  response: ServerResponse,
  body: object,
  headers: OutgoingHttpHeaders = {},
): void {
  const text = `${JSON.stringify(body)}\n`;
  send(response, 200, { "Content-Type": "application/json", ...headers }, text);
}

/** Sends an error as Connect does: `code`, `message`, and `details` with the reason. */
export function sendError(
  response: ServerResponse,
  { reason, message }: Pick<WebError, "reason" | "message">,
  headers: OutgoingHttpHeaders = {},
): void {
  const error = new ConnectError(message, errorCodes[reason].code, undefined, [
    { desc: ErrorInfoSchema, value: { reason, domain: "stowage" } },
  ]);
  send(
    response,
    statusOf(reason),
    {
      "Content-Type": "application/json",
      ...(temporaryReasons.has(reason) && { "Retry-After": retrySoonSeconds }),
      ...headers,
    },
    errorToJsonBytes(error, {}),
  );
}

function statusOf(reason: Reason): number {
  const { code, ...own } = errorCodes[reason];
  return "httpStatus" in own ? own.httpStatus : codeToHttpStatus(code);
}

/** Redirects the browser, which then asks with GET. */
export function redirect(
  response: ServerResponse,
  location: string,
  headers: OutgoingHttpHeaders = {},
): void {
  send(response, 303, { ...headers, Location: location });
}

interface TextPage {
  readonly title: string;
  readonly text: string;
  /** A link below the text. */
  readonly link: { readonly href: string; readonly text: string };
}

/** Sends a page for people, without script and style. */
export function sendPage(
  response: ServerResponse,
  status: number,
  { title, text, link }: TextPage,
  headers: OutgoingHttpHeaders = {},
): void {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>
</html>
`;
  send(response, status, { "Content-Type": "text/html; charset=utf-8", ...headers }, body);
}

/** Whether a person has opened the address of the request, so the answer is shown as it is. */
export function isOpenedByPerson({ headers }: IncomingMessage): boolean {
  return headers["sec-fetch-dest"] === "document";
}

/** Tells a person why a request was refused. */
export function sendRefusalPage(response: ServerResponse, { reason, message }: WebError): void {
  sendErrorPage(response, statusOf(reason), { code: errorCodes[reason].code, message });
}

/** Tells a person of an error. The message is a sentence without its capital and its full stop. */
export function sendErrorPage(
  response: ServerResponse,
  status: number,
  { code, message }: { readonly code: Code | undefined; readonly message: string },
  headers: OutgoingHttpHeaders = {},
): void {
  const title = (code && titles[code]) ?? "That did not work";
  const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  sendPage(response, status, { title, text, link: { href: "/", text: "To the page" } }, headers);
}

const titles: Readonly<Partial<Record<Code, string>>> = {
  [Code.NotFound]: "Nothing found",
  [Code.Unauthenticated]: "You are not signed in",
  [Code.Unavailable]: "Not available at the moment",
};

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
