/** A bucket in an S3 store: how it is reached, and how requests to it are made. */
import { env } from "node:process";
import { Readable } from "node:stream";
import {
  type GetObjectTaggingCommand,
  type ListObjectsV2Command,
  type ListObjectVersionsCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { fromNodeProviderChain } from "@aws-sdk/credential-providers";
import { errorText } from "@stowage/process";
import { parseXml, type XmlElement, XmlError } from "./parse-xml.ts";
import { StoreError, storeErrorOf } from "./store-error.ts";
import type { StoreLocation } from "./store-location.ts";

export interface Store {
  readonly location: StoreLocation;
  readonly client: S3Client;
  readonly attemptTimeoutMs: number;
}

/**
 * Most time until an answer begins, and then until a page of a listing is complete; either takes a
 * second or less. For larger answers, the most time between two pieces.
 */
const attemptTimeoutMs = 60_000;

/** With pauses that double from 0.1 s, less a random part, attempts go on for some 12 s. */
const attemptsMax = 9;

/** Credentials come from the default chain or the profile. They are not stored or logged. */
export function openStore(
  location: StoreLocation,
  limits: { readonly attemptTimeoutMs?: number; readonly attemptsMax?: number } = {},
): Store {
  const { endpoint, region, pathStyle, profile } = location;
  const attemptMs = limits.attemptTimeoutMs ?? attemptTimeoutMs;
  // Nothing else closes the connections of a client that is no longer used. `proxyEnv` has Node use
  // HTTP_PROXY, HTTPS_PROXY and NO_PROXY, also for the services that give out credentials.
  const agent = { keepAlive: true, timeout: attemptMs, proxyEnv: env };
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    // Most other stores have one region and ignore its name.
    ...((region ?? endpoint) !== undefined && { region: region ?? "us-east-1" }),
    ...(profile !== undefined && { profile }),
    // Otherwise a process would never see that credentials in a file were renewed.
    credentials: fromNodeProviderChain({
      ...(profile !== undefined && { profile }),
      ignoreCache: true,
    }),
    forcePathStyle: pathStyle ?? false,
    // The library waits between attempts, longer each time, with jitter.
    retryMode: "standard",
    maxAttempts: limits.attemptsMax ?? attemptsMax,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: 10_000,
      requestTimeout: attemptMs,
      socketTimeout: attemptMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  return { location, client, attemptTimeoutMs: attemptMs };
}

/** Makes a request, in as many attempts as it needs. Throws `StoreError`. */
export async function request<Output>(
  { location, client }: Store,
  signal: AbortSignal,
  send: (client: S3Client, options: { readonly abortSignal: AbortSignal }) => Promise<Output>,
): Promise<Output> {
  try {
    return await send(client, { abortSignal: signal });
  } catch (error) {
    signal.throwIfAborted();
    throw storeErrorOf(error, location);
  }
}

/** Makes requests for things, so many at once. The results are in the order of the things. */
export async function requestEach<Thing, Result>(
  things: readonly Thing[],
  requestsAtOnce: number,
  send: (thing: Thing) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = things.entries();
  const sendNext = async () => {
    for (const [index, thing] of waiting) results[index] = await send(thing);
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, sendNext));
  return results;
}

/** Reads a whole body. Throws `StoreError`, which begins with `what`, if it is too large. */
export async function readBody(body: Readable, bytesMax: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw new StoreError(`${what} is over ${bytesMax} bytes`);
  }
  return Buffer.concat(chunks);
}

type XmlCommand = GetObjectTaggingCommand | ListObjectsV2Command | ListObjectVersionsCommand;

/**
 * Makes a request whose answer is XML, and returns its root element. An answer that was cut off, or
 * has another root, counts as a failed attempt. Throws `StoreError`.
 *
 * @param roots the names that the root may have.
 */
export async function requestXml(
  store: Store,
  signal: AbortSignal,
  command: XmlCommand,
  roots: readonly string[],
): Promise<XmlElement> {
  // For the compiler: what the library returns is not used.
  const sent = command as ListObjectsV2Command;
  let root: XmlElement | undefined;
  sent.middlewareStack.add(
    (next) => async (input) => {
      const result = await next(input);
      const response = result.response as HttpResponse;
      if (response.statusCode < 300) {
        root = parseAnswer(await readAnswer(response.body, store.attemptTimeoutMs), roots);
        // Nothing is left for the library to parse.
        response.body = Readable.from([]);
      }
      return result;
    },
    // Nearest to the wire, before the library interprets the answer.
    { step: "deserialize", priority: "low" },
  );
  await request(store, signal, (client, how) => client.send(sent, how));
  if (root === undefined) throw new StoreError("the store does not answer with XML");
  return root;
}

interface HttpResponse {
  readonly statusCode: number;
  body: Readable;
}

/** A page of 1,000 objects with the longest keys, percent-encoded, is under 4 MiB. */
const answerBytesMax = 16 * 1024 * 1024;

async function readAnswer(body: Readable, timeoutMs: number): Promise<Buffer> {
  const timeout = setTimeout(() => body.destroy(new Error(`over ${timeoutMs} ms`)), timeoutMs);
  try {
    return await readBody(body, answerBytesMax, "an answer of the store");
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw retryable(`The answer broke off: ${errorText(error)}`);
  } finally {
    clearTimeout(timeout);
  }
}

function parseAnswer(answer: Buffer, roots: readonly string[]): XmlElement {
  try {
    return parseXml(answer.toString(), roots);
  } catch (error) {
    if (error instanceof XmlError) throw retryable(`The answer ${error.message}`);
    throw error;
  }
}

/** The library tries again after such an error. */
function retryable(message: string): Error {
  return Object.assign(new Error(message), { name: "TimeoutError", $retryable: {} });
}
