/**
 * One request for the issuer's key set, limited in time and size. Anything but a usable set is an
 * error. The content type is ignored: issuers use several, and the content is parsed strictly.
 */
import type { KeyObject } from "node:crypto";
import type { Clock } from "../clock.ts";
import { keySetBytesMax, keySetFetchTimeoutMs } from "../limits.ts";
import { parseJsonObject } from "../parse-json.ts";
import { readKeySet } from "./read-key-set.ts";

interface FetchKeySetOptions {
  readonly url: URL;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

/** Rejects with an Error that names the failure. */
export async function fetchKeySet(
  options: FetchKeySetOptions,
): Promise<ReadonlyMap<string, KeyObject>> {
  try {
    const bytes = await withTimeout(options.clock, (signal) => download(options, signal));
    return readKeySet(parseJsonObject(bytes));
  } catch (error) {
    throw new Error(`GET ${options.url} failed: ${reasonOf(error)}`, { cause: error });
  }
}

/** The message of `fetch` only says that it failed; the cause has the network error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

async function download({ url, fetch }: FetchKeySetOptions, signal: AbortSignal): Promise<Buffer> {
  const response = await fetch(url, {
    // A cached response may lack a new key. An issuer can still answer from its own caches.
    headers: { accept: "application/json", "cache-control": "no-cache" },
    // A redirect could lead to keys of another server.
    redirect: "manual",
    signal,
  });
  try {
    if (response.status !== 200) throw new Error(`the answer has status ${response.status}`);
    return await readBody(response);
  } catch (error) {
    // Frees the connection of a response that is not read to its end.
    await response.body?.cancel().catch(() => undefined);
    throw error;
  }
}

async function readBody(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > keySetBytesMax) throw new Error(`the answer is over ${keySetBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Ends in time even if `fetch` ignores its signal. */
async function withTimeout<T>(
  clock: Clock,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timeout = Promise.withResolvers<never>();
  const cancel = clock.after(keySetFetchTimeoutMs, () => {
    const error = new Error(`no whole answer within ${keySetFetchTimeoutMs} ms`);
    timeout.reject(error);
    controller.abort(error);
  });
  try {
    return await Promise.race([action(controller.signal), timeout.promise]);
  } finally {
    cancel();
  }
}
