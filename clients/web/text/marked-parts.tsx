import { formatName } from "./format.ts";
import type { NamePart } from "./name-parts.ts";

/** A name or a path, with what was found in it marked. */
export function MarkedParts({ parts }: { readonly parts: readonly NamePart[] }) {
  return parts.map(({ text, start, isMatch }) =>
    isMatch ? <mark key={start}>{formatName(text)}</mark> : formatName(text),
  );
}
