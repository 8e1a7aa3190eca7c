/** `POST /hints/{sourceId}`: a store tells of changes. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorText, type Logger } from "@stowage/process";
import type { Queries } from "../../postgres/named-parameters.ts";
import { findHintedSource } from "./hint-secret.ts";
import { NotJsonError, readEvents } from "./read-records.ts";

interface HintHandlerOptions {
  readonly database: Queries;
  /** Takes the keys that changed in a source. */
  readonly onHints: (source: string, keys: readonly string[]) => unknown;
  readonly logger: Logger;
}

/** Answers a request with hints and returns true. Returns false for any other request. */
export function createHintHandler(
  options: HintHandlerOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const url = URL.parse(request.url ?? "/", "http://localhost");
    const sourceId = path.exec(url?.pathname ?? "")?.[1];
    if (sourceId === undefined || request.method !== "POST") return false;
    const secret = bearerOf(request) ?? url?.searchParams.get("key") ?? "";
    void takeHints(request, { ...options, sourceId, secret })
      .catch((error) => {
        options.logger.warn({ reason: errorText(error) }, "hints of changes were not taken");
        return 503;
      })
      .then((status) => {
        // What is left of the body is not read.
        if (!request.complete) response.setHeader("connection", "close");
        response.writeHead(status).end();
      });
    return true;
  };
}

const path = /^\/hints\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

interface Given extends HintHandlerOptions {
  readonly sourceId: string;
  readonly secret: string;
}

/** Returns the status. SNS and radosgw send JSON under other types, so the type may be any. */
async function takeHints(
  request: IncomingMessage,
  { database, sourceId, secret, onHints, logger }: Given,
): Promise<number> {
  const source = await findHintedSource(database, sourceId, secret);
  if (source === undefined) return 401;
  const body = await readBody(request);
  if (body === undefined) return 413;
  const { name, location } = source;
  if (location.kind !== "s3") return 204;
  try {
    const { keys, confirmAt } = readEvents(body, location);
    if (keys.length > 0) onHints(name, keys);
    if (confirmAt !== undefined) {
      logger.info({ source: name, confirmAt }, "an SNS topic asks to be confirmed at this address");
    }
    return 204;
  } catch (error) {
    if (error instanceof NotJsonError) return 415;
    throw error;
  }
}

const bodyBytesMax = 1024 * 1024;

/** Undefined if it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > bodyBytesMax) return undefined;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    sizeBytes += chunk.length;
    if (sizeBytes > bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
