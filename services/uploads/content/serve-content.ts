/** `GET` and `HEAD` of the content of an upload (api/content.md). */
import { isUuid, untilAborted } from "@stowage/process";
import { type DatabaseForCaller, slotRevoked } from "../fairness/fair-pool.ts";
import type { FairQueue } from "../fairness/fair-queue.ts";
import {
  bucketReadScope,
  type CallerChecks,
  createAuthenticator,
  enforceRateLimit,
} from "../http/authenticate.ts";
import { type NodeRequest, type NodeResponse, sendBuffered } from "../http/node-http.ts";
import type { Serve } from "../http/protocols/connect-protocol.ts";
import type { RunningCall } from "../http/running-call.ts";
import { ApiError, uploadNotFound } from "../model/api-error.ts";
import type { Database } from "../postgres/database.ts";
import { markOpened } from "../sources/ghosts.ts";
import { bytesOfKey, keyOfPath } from "../sources/keys.ts";
import { protectingHeaders, typeHeaders } from "./content-headers.ts";
import { fileSystemRequests } from "./file-system-requests.ts";
import { type Content, contentChanged, findForCaller, findForLink } from "./find-content.ts";
import { FileChangedError, openFile } from "./open-file.ts";
import { sendContent } from "./send-content.ts";
import { type SentFile, sendFile } from "./send-file.ts";
import { isSigned, readLink } from "./signed-links.ts";
import type { FindObject } from "./stored-object.ts";

interface ContentOptions extends CallerChecks {
  readonly databaseFor: DatabaseForCaller;
  /** Limits how many answers with content are under way. */
  readonly streams: FairQueue;
  readonly linkKey: Uint8Array;
}

/** The content, the client that the stream counts for, and how browsers should treat it. */
interface Request {
  readonly database: Database;
  readonly content: Content;
  readonly clientId: string;
  readonly isAttachment: boolean;
}

export function serveContent(options: ContentOptions): Serve {
  const { databaseFor, streams, linkKey } = options;
  const authenticate = createAuthenticator(bucketReadScope, options);
  let findObject: FindObject | undefined;

  async function find(request: NodeRequest, call: RunningCall): Promise<Request> {
    const { signal } = call;
    const { bucketId, uploadId, parameters } = readAddress(request.url ?? "");
    if (isSigned(parameters)) {
      const { isAttachment } = readLink({ bucketId, uploadId }, parameters, linkKey, Date.now());
      // The organisation is not known yet. The callers with links to one bucket are one client, so
      // they leave waiting places to those with links to others.
      const database = databaseFor({ organisationId: "", clientId: bucketId });
      const content = await database.read({ signal }, ({ run }) =>
        findForLink(run, bucketId, uploadId),
      );
      // All callers with links share the organisation's streams as one client.
      return { content, clientId: "", isAttachment, database };
    }
    const caller = await authenticate(request, call);
    await enforceRateLimit(caller, options, call);
    const database = databaseFor(caller);
    const content = await database
      .read({ signal, snapshot: true }, ({ run }) =>
        findForCaller(run, caller, { bucketId }, uploadId),
      )
      .catch(hideBucket);
    const isAttachment = parameters.has("attachment");
    return { content, clientId: caller.clientId, isAttachment, database };
  }

  async function send(
    request: NodeRequest,
    response: NodeResponse,
    call: RunningCall,
    { content, isAttachment, database }: Request,
  ): Promise<void> {
    const { location } = content;
    const types = typeHeaders(content.filename, { isAttachment });
    const key = keyOfPath(content, {
      prefix: location.kind === "s3" ? location.prefix : "",
      mountPath: content.mountPath,
    });
    const headers = { ...protectingHeaders, ...types, "cache-control": "private, no-cache" };
    if (location.kind === "s3") {
      // The client of stores takes some 35 MiB, and many services have no store.
      findObject ??= (await import("./stored-object.ts")).createObjectFinder();
      const { etag, versionId } = content.s3 ?? {};
      const indexed = { ...content, location, key, etag, versionId };
      const mark = markChanged(database, content, call.signal);
      const object = await findObject(indexed, call.signal).catch(mark);
      if (location.content === "stream") {
        const { open, coding } = object;
        const sent = { ...content, open, headers: { ...headers, ...coding } };
        return await sendContent(request, response, call, sent);
      }
      const url = await object.signUrl({
        method: request.method === "HEAD" ? "HEAD" : "GET",
        contentType: types["content-type"],
        contentDisposition: types["content-disposition"],
      });
      const redirect = { ...protectingHeaders, location: url, "cache-control": "no-store" };
      sendBuffered(response, 302, redirect, Buffer.alloc(0));
      return;
    }
    const file = { ...content, directory: location.directory, key: bytesOfKey(key), headers };
    await sendIndexedFile(request, response, call, file).catch(refuseChanged);
  }

  return async (request, response, call) => {
    const found = await find(request, call);
    const { organisationId, bucketId } = found.content;
    call.record.bucketId = bucketId;
    const revoke = () => call.abort(slotRevoked());
    const payer = { tenant: organisationId, client: found.clientId, revoke };
    const release = await streams.acquire(payer, call.signal);
    try {
      await send(request, response, call, found);
    } finally {
      release();
    }
  };
}

/** Lets the next run of the source ask for an object that is not what the index says. */
function markChanged(database: Database, content: Content, signal: AbortSignal) {
  return async (error: unknown): Promise<never> => {
    if (error instanceof ApiError && error.reason === "CONTENT_CHANGED") {
      await database.read({ signal }, ({ run }) => markOpened(run, content));
    }
    throw error;
  };
}

interface IndexedFile extends Omit<SentFile, "file"> {
  readonly key: Uint8Array;
}

async function sendIndexedFile(
  request: NodeRequest,
  response: NodeResponse,
  call: RunningCall,
  indexed: IndexedFile,
): Promise<void> {
  const { directory, key } = indexed;
  fileSystemRequests.refuseIfSilent(directory);
  const opening = fileSystemRequests.make(directory, () => openFile(directory, key, indexed));
  try {
    const file = await untilAborted(opening, call.signal);
    await sendFile(request, response, call, { ...indexed, file });
  } finally {
    // Not awaited: the file system may not answer. The file may even be opened after the call.
    opening
      .then((file) => fileSystemRequests.make(directory, () => file.close()))
      .catch(() => undefined);
  }
}

interface Address {
  /** In lower case. */
  readonly bucketId: string;
  readonly uploadId: string;
  readonly parameters: URLSearchParams;
}

function readAddress(url: string): Address {
  // A further "?" is part of the query.
  const pathLength = `${url}?`.indexOf("?");
  const parameters = new URLSearchParams(url.slice(pathLength));
  const [, , bucketId = "", encodedId = "", ...rest] = url.slice(0, pathLength).split("/");
  const uploadId = decoded(encodedId);
  const isPossible = isUuid(bucketId) && rest.length === 0 && !uploadId?.includes("\0");
  if (!isPossible || uploadId === undefined) throw uploadNotFound();
  return { bucketId: bucketId.toLowerCase(), uploadId, parameters };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

// Nobody learns which buckets exist.
function hideBucket(error: unknown): never {
  const isHidden = error instanceof ApiError && error.reason === "BUCKET_NOT_FOUND";
  throw isHidden ? uploadNotFound() : error;
}

function refuseChanged(error: unknown): never {
  throw error instanceof FileChangedError ? contentChanged(error) : error;
}
