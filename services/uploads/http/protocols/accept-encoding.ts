/**
 * Returns the coding for an Accept-Encoding header (RFC 9110 section 12.5.3): the offered one with
 * the highest quality value, and the first of those with the same value. Undefined if the answer
 * should not be encoded, as for a caller without this header.
 */
export function chooseEncoding<Coding extends { readonly name: string }>(
  acceptEncoding: string | undefined,
  offered: readonly Coding[],
): Coding | undefined {
  const qualities = readQualities(acceptEncoding ?? "");
  const others = qualities.get("*") ?? 0;
  // An answer without coding is always allowed, and preferred only if the caller says so.
  let highest = qualities.get("identity") ?? 0;
  let chosen: Coding | undefined;
  for (const coding of offered) {
    const quality = qualities.get(coding.name) ?? others;
    if (quality > highest || (quality === highest && quality > 0 && chosen === undefined)) {
      highest = quality;
      chosen = coding;
    }
  }
  return chosen;
}

/** The quality of each name, from 0 (refused) to 1. A malformed quality counts as 0. */
function readQualities(acceptEncoding: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const element of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = element.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    qualities.set(name, weight === undefined ? 1 : qualityOf(weight.slice(2)));
  }
  return qualities;
}

function qualityOf(text: string): number {
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
