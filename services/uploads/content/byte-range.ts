/** The range of bytes that a request asks for (RFC 9110, section 14.1). */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads the header `Range`. Undefined: the whole content is to be sent. That is so for a range that
 * is malformed, ends before it begins, or has another unit. It is so for several ranges, too, which
 * a server may refuse to send.
 */
export function readRange(
  header: string,
  sizeBytes: number,
): ByteRange | "unsatisfiable" | undefined {
  const [, from = "", to = ""] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (from === "" && to !== "") {
    // The last bytes. No range can name those of an empty file.
    if (last === 0) return "unsatisfiable";
    if (sizeBytes === 0) return undefined;
    return { first: Math.max(0, sizeBytes - last), last: sizeBytes - 1 };
  }
  if (from === "" || (to !== "" && last < first)) return undefined;
  if (first >= sizeBytes) return "unsatisfiable";
  return { first, last: to === "" ? sizeBytes - 1 : Math.min(last, sizeBytes - 1) };
}
