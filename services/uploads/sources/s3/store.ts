/** A bucket in an S3 store: how it is reached, and how requests to it are made. */
import { Readable } from "node:stream";
import { S3Client } from "@aws-sdk/client-s3";
import { fromNodeProviderChain } from "@aws-sdk/credential-providers";
import { errorText } from "@stowage/process";
import { StoreError, storeErrorOf } from "./store-error.ts";
import type { StoreLocation } from "./store-location.ts";

export interface Store {
  readonly location: StoreLocation;
  readonly client: S3Client;
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
  // Nothing else closes the connections of a client that is no longer used.
  const agent = { keepAlive: true, timeout: attemptMs };
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
  refuseBrokenXml(client, attemptMs);
  return { location, client };
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

/** The elements that answers consist of. Other answers are an object, or nothing. */
const answersOf: Readonly<Record<string, readonly string[]>> = {
  ListObjectsV2Command: ["ListBucketResult"],
  // Google's has the first name.
  ListObjectVersionsCommand: ["ListBucketResult", "ListVersionsResult"],
  GetObjectTaggingCommand: ["Tagging"],
};

/**
 * An answer that was cut off, or is something else than what was asked for, counts as a failed
 * attempt: the library would read it as a shorter list, or as an empty one.
 */
function refuseBrokenXml(client: S3Client, timeoutMs: number): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (input) => {
        const result = await next(input);
        const response = result.response as HttpResponse;
        const elements = answersOf[commandName ?? ""];
        if (response.statusCode < 300 && elements !== undefined) {
          const answer = await readAnswer(response.body, timeoutMs);
          requireComplete(answer, elements);
          response.body = Readable.from([answer]);
        }
        return result;
      },
    // Nearest to the wire, before the answer is interpreted.
    { step: "deserialize", priority: "low" },
  );
}

interface HttpResponse {
  readonly statusCode: number;
  body: Readable;
}

/** A page of 1,000 objects with the longest keys, percent-encoded, is under 4 MiB. */
const answerBytesMax = 16 * 1024 * 1024;

async function readAnswer(body: Readable, timeoutMs: number): Promise<Buffer> {
  const timeout = setTimeout(() => body.destroy(new Error(`over ${timeoutMs} ms`)), timeoutMs);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > answerBytesMax) {
        throw new StoreError(`an answer of the store is over ${answerBytesMax} bytes`);
      }
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw retryable(`The answer broke off: ${errorText(error)}`);
  } finally {
    clearTimeout(timeout);
  }
  return Buffer.concat(chunks);
}

function requireComplete(answer: Buffer, elements: readonly string[]): void {
  const root = /<([A-Za-z]\w*)/.exec(answer.toString("latin1", 0, 1024))?.[1];
  if (root !== undefined && !elements.includes(root)) {
    throw retryable(`The answer is <${root}> in place of <${elements.join("> or <")}>`);
  }
  const end = answer.toString("latin1", Math.max(0, answer.length - 1024)).trimEnd();
  if (root !== undefined && (end.endsWith(`</${root}>`) || isEmptyElement(answer))) return;
  throw retryable("The answer is XML that is cut off");
}

/** Whether the answer is one element without content. Inside others, such elements are no end. */
function isEmptyElement(answer: Buffer): boolean {
  if (answer.length > 1024) return false;
  return /^(?:<\?xml[^>]*>)?\s*<\w+\b[^>]*\/>\s*$/.test(answer.toString("latin1"));
}

/** The library tries again after such an error. */
function retryable(message: string): Error {
  return Object.assign(new Error(message), { name: "TimeoutError", $retryable: {} });
}
