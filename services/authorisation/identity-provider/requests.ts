/** Requests to the provider: each ends soon, and its answer is small. */
import { isConfidential } from "./settings.ts";

const answerTimeoutMs = 5_000;

/** Keys with certificates take a few KiB each. */
const answerBytesMax = 256 * 1024;

/** The provider does not answer, or not as a provider does. It may do so later. */
class ProviderUnavailableError extends Error {
  override readonly name = "ProviderUnavailableError";
}

/** Whether an error comes from a provider that may answer later; libraries wrap it. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ProviderUnavailableError) return true;
  return error instanceof Error && error.cause !== undefined && isUnavailable(error.cause);
}

/**
 * Sends a request, for the libraries. Follows no redirects.
 *
 * @throws {ProviderUnavailableError}
 */
export async function fetchFromProvider(
  url: string,
  init: { method?: string; headers?: unknown; body?: unknown },
): Promise<Response> {
  try {
    if (!isConfidential(url)) throw new Error(`got the address ${url}, need an https one`);
    const response = await fetch(url, {
      ...(init as RequestInit),
      redirect: "manual",
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    const body = await readLimited(response);
    const { status, headers } = response;
    if (status >= 500) throw new Error(`got status ${status}`);
    return new Response(body.length === 0 ? null : body, { status, headers });
  } catch (cause) {
    throw new ProviderUnavailableError("the provider does not answer", { cause });
  }
}

async function readLimited({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new Error(`the answer has more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
