/** Describes `authorization_details` in words, for the consent page. */
import type { BucketDetail } from "./bucket-detail.ts";

/**
 * Describes each entry in a sentence. Names are in quotation marks, and characters that could hide
 * or reorder text become `\u{…}`. The text must still be escaped for HTML.
 */
export function describeDetails(details: readonly BucketDetail[]): string[] {
  return details.map(({ actions, identifier, locations }) => {
    const what = actions.map((action) => verbs[action]).join(" and ");
    const bucket = identifier === undefined ? "every bucket" : `the bucket ${identifier}`;
    if (locations === undefined || locations.includes("/")) return `${what} all of ${bucket}`;
    const folders = listOf(locations.map(quote));
    const [folder, it] = locations.length === 1 ? ["folder", "it"] : ["folders", "them"];
    return `${what} the ${folder} ${folders} of ${bucket}, and all that is in ${it}`;
  });
}

const verbs: Record<BucketDetail["actions"][number], string> = { read: "Read" };

function listOf(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "";
  return texts.length > 1 ? `${texts.slice(0, -1).join(", ")} and ${last}` : last;
}

function quote(text: string): string {
  const visible = text.replace(
    /[“”\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return `“${visible}”`;
}
