/** Anything with Node's flat list of header names and values: requests of HTTP/1.1 and HTTP/2. */
export interface RawRequest {
  readonly rawHeaders: readonly string[];
}

/**
 * The `Authorization` headers as they came. Node's `headers` has only the first of several, and a
 * proxy in front may have looked at the last: each would see another caller. Joined as HTTP joins
 * headers, several are refused.
 */
export function rawAuthorization({ rawHeaders }: RawRequest): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "authorization",
  );
  return values.length === 0 ? undefined : values.join(", ");
}
