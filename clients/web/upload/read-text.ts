/** The beginning of a text, for the preview. */
import { chunksOf } from "../api/read-chunks.ts";
import { formatName } from "../text/format.ts";
import { ContentError, failureOf } from "./content-failure.ts";

/** How much of a text is read. */
export const textBytesMax = 256 * 1024;

export async function readText(
  href: string,
  { sizeBytes, signal }: { readonly sizeBytes: bigint; readonly signal: AbortSignal },
): Promise<string> {
  const headers = { range: `bytes=0-${textBytesMax - 1}` };
  const response = await fetch(href, { signal, headers });
  if (!response.ok) throw new ContentError(await failureOf(response));
  const bytes = await readBytes(response);
  return textOf(bytes, { isCut: sizeBytes > bytes.byteLength });
}

/** At most `textBytesMax`: a server may send the whole file. */
async function readBytes(response: Response): Promise<Uint8Array> {
  const bytes = new Uint8Array(textBytesMax);
  let length = 0;
  for await (const chunk of chunksOf(response)) {
    const kept = chunk.subarray(0, textBytesMax - length);
    bytes.set(kept, length);
    length += kept.byteLength;
    if (length === textBytesMax) break;
  }
  return bytes.subarray(0, length);
}

/**
 * UTF-8, or UTF-16 with a byte order mark, with replacement characters for what is not. A character
 * that the end cuts through is left out. Characters that are invisible or turn text around are
 * written by their numbers.
 */
export function textOf(bytes: Uint8Array, { isCut }: { readonly isCut: boolean }): string {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes, { stream: isCut });
  return text.replaceAll("\r\n", "\n").replace(hiddenCharacters, formatName);
}

/** By the byte order mark, which the decoder leaves out. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

const hiddenCharacters = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;
