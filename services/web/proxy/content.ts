/**
 * `GET` and `HEAD` of content. The bytes pass through this server, also those of a store that the
 * uploads service redirects to. If content has an origin of its own, a browser that saves it, or
 * shows it as a document, is sent there. What the page itself shows still passes through here, so
 * neither that origin nor a store has to allow the page to read from it (CORS).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isUuid } from "@stowage/process";
import { type Handle, send } from "../http/answer.ts";
import { contentHeaders } from "../http/security-headers.ts";
import { whileConnected } from "../http/while-connected.ts";
import { WebError } from "../model/web-error.ts";
import type { OpenSession, Sessions } from "../session/sessions.ts";
import { isReadByPerson, sendReadableRefusal } from "./content-refusal.ts";
import { forwardAnswer } from "./forward-answer.ts";
import { type ForwardToUploads, tracingHeaders } from "./uploads.ts";
import { discard, pick, readWhole, type Upstream } from "./upstream.ts";

const linkSeconds = 300;
const linkAnswerBytesMax = 64 * 1024;

/** Ranges and conditions, which the uploads service or the store decides on. */
const conditions = [
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "range",
];
const answerHeaders = [
  "accept-ranges",
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-length",
  "content-range",
  "content-type",
  "etag",
  "last-modified",
  "retry-after",
];

interface ContentOptions {
  readonly sessions: Sessions;
  readonly forward: ForwardToUploads;
  /** Connections to stores. */
  readonly stores: Upstream;
  /** Whether content has an origin of its own. */
  readonly hasOwnOrigin: boolean;
}

interface Address {
  readonly bucketId: string;
  /** Percent-encoded, as in the address. */
  readonly encodedUploadId: string;
  readonly uploadId: string;
  readonly isAttachment: boolean;
}

export function serveContent(options: ContentOptions): Handle {
  const { sessions, hasOwnOrigin } = options;
  return async (request, response) => {
    const signal = whileConnected(response);
    using open = await sessions.open(request, "content");
    const address = readAddress(request.url ?? "");
    const isDocument = address.isAttachment || !isPartOfPage(request);
    const serve = hasOwnOrigin && isDocument ? redirectToLink : passContent;
    await serve(request, response, { ...options, open, address, signal });
  };
}

/** As browsers write it: what a script reads is `empty`. No script in such content runs. */
const destinationsInPage: readonly unknown[] = ["empty", "image", "audio", "video"];

function isPartOfPage({ headers }: IncomingMessage): boolean {
  return destinationsInPage.includes(headers["sec-fetch-dest"]);
}

interface Serving extends ContentOptions {
  readonly open: OpenSession;
  readonly address: Address;
  readonly signal: AbortSignal;
}

async function passContent(
  request: IncomingMessage,
  response: ServerResponse,
  { forward, open, address, signal, stores }: Serving,
): Promise<void> {
  const { bucketId, encodedUploadId, isAttachment } = address;
  const path = `/content/${bucketId}/${encodedUploadId}${isAttachment ? "?attachment" : ""}`;
  const { method = "GET" } = request;
  const headers = pick(request.headers, [...conditions, ...tracingHeaders]);
  const answer = await forward(open, { method, path, headers, signal });
  if (answer.statusCode === 302) {
    discard(answer);
    const { location = "" } = answer.headers;
    const stored = await fromStore(request, location, { signal, stores });
    return await sendStored(stored, response, location);
  }
  if (isReadByPerson(request, answer)) return await sendReadableRefusal(answer, response);
  await forwardAnswer(answer, response, { ...caching, ...headersOf(answer) });
}

const caching = { "cache-control": "private, no-cache" };

function headersOf({ headers }: IncomingMessage) {
  return { ...pick(headers, answerHeaders), ...contentHeaders };
}

/** Statuses of a store whose bodies explain an error in XML. */
const bareStatuses = [412, 416];

async function sendStored(
  stored: IncomingMessage,
  response: ServerResponse,
  location: string,
): Promise<void> {
  const { statusCode = 502 } = stored;
  if (bareStatuses.includes(statusCode)) {
    discard(stored);
    const headers = { ...caching, ...pick(stored.headers, ["content-range"]), ...contentHeaders };
    return send(response, statusCode, headers);
  }
  // The store may allow shared caches to keep the object.
  const headers = { ...headersOf(stored), ...typeOf(location), ...caching };
  await forwardAnswer(stored, response, headers);
}

/**
 * How browsers may show the content, which the uploads service has decided. It asks the store for
 * these headers, but a store may ignore that.
 */
function typeOf(location: string) {
  const asked = new URL(location).searchParams;
  return {
    "content-type": asked.get("response-content-type") ?? "application/octet-stream",
    "content-disposition": asked.get("response-content-disposition") ?? "attachment",
  };
}

/** Statuses of a store that say something about the content and not about the store. */
const storeStatuses = [200, 206, 304, 412, 416];

/**
 * Asks a store with the signed address that the uploads service gave: never with the token, nor
 * with anything else of the browser but ranges and conditions.
 */
async function fromStore(
  request: IncomingMessage,
  location: string,
  { signal, stores }: Pick<Serving, "signal" | "stores">,
): Promise<IncomingMessage> {
  // A URL object would resolve `..`, which a key may contain.
  const [, origin = "", path = ""] = /^(https?:\/\/[^/?#]+)(\/[^#]*)$/.exec(location) ?? [];
  const store = URL.parse(origin);
  if (store === null) throw unavailable("the redirect of the uploads service is not an address");
  const { method = "GET" } = request;
  const headers = pick(request.headers, conditions);
  let answer: IncomingMessage;
  try {
    answer = await stores.open(store, path, { method, headers, signal });
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw unavailable("the store that holds the content cannot be reached", cause);
  }
  const { statusCode = 0 } = answer;
  if (storeStatuses.includes(statusCode)) return answer;
  // A store explains errors in XML, with its own names, to the service that signed the address.
  discard(answer);
  if (statusCode === 404) {
    throw new WebError("CONTENT_CHANGED", "the object was removed from its store meanwhile");
  }
  const cause = new Error(`${store.host} answered with status ${statusCode}`);
  throw unavailable("the store that holds the content does not answer as it should", cause);
}

async function redirectToLink(
  request: IncomingMessage,
  response: ServerResponse,
  { forward, open, address, signal }: Serving,
): Promise<void> {
  const { bucketId, isAttachment } = address;
  const body = Buffer.from(
    JSON.stringify({
      bucketRef: { bucketId },
      uploadId: address.uploadId,
      expiresInSeconds: linkSeconds,
      attachment: isAttachment,
    }),
  );
  const answer = await forward(open, {
    method: "POST",
    path: "/stowage.v1.ContentService/CreateContentLink",
    headers: {
      "connect-protocol-version": "1",
      "content-type": "application/json",
      "content-length": body.length,
    },
    body,
    signal,
  });
  if (isReadByPerson(request, answer)) return await sendReadableRefusal(answer, response);
  const text = await readWhole(answer, linkAnswerBytesMax).catch((cause) => {
    if (signal.aborted) throw signal.reason;
    throw new WebError("UPLOADS_UNAVAILABLE", "the uploads service broke its answer off", {
      cause,
    });
  });
  if (answer.statusCode !== 200) {
    send(response, answer.statusCode ?? 500, pick(answer.headers, answerHeaders), text);
    return;
  }
  const { url } = JSON.parse(text.toString()) as { url: string };
  send(response, 302, { Location: url, "Referrer-Policy": "no-referrer" });
}

/** @throws {WebError} for anything that cannot be the address of content */
function readAddress(target: string): Address {
  // A further "?" is part of the query.
  const pathLength = `${target}?`.indexOf("?");
  const isAttachment = new URLSearchParams(target.slice(pathLength)).has("attachment");
  const [, , bucketId = "", encodedUploadId = "", ...rest] = target.slice(0, pathLength).split("/");
  // What is passed on has no dots that a server between might resolve, and no other surprises.
  const isPlain = /^(?:[A-Za-z0-9_~-]|%[0-9A-Fa-f]{2}|\.)+$/.test(encodedUploadId);
  const uploadId = isPlain && !isDots(encodedUploadId) ? decoded(encodedUploadId) : undefined;
  if (!isUuid(bucketId) || uploadId === undefined || rest.length > 0) {
    throw new WebError("ADDRESS_UNKNOWN", "there is nothing at this address");
  }
  return { bucketId, encodedUploadId, uploadId, isAttachment };
}

/** Undefined for bytes that are not UTF-8. */
function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

function unavailable(message: string, cause?: unknown): WebError {
  return new WebError("CONTENT_UNAVAILABLE", message, { cause });
}
