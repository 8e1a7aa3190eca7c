import { MIMEType } from "node:util";

/**
 * Returns the media type of a `Content-Type` in lower case and without its parameters, of which
 * none changes how a body is read (RFC 9110, section 8.3.1). Returns what it got if that is
 * malformed, or names another charset than UTF-8: no protocol supports it then.
 */
export function plainMediaType(contentType: string): string {
  try {
    const { essence, params } = new MIMEType(contentType);
    return /^utf-?8$/i.test(params.get("charset") ?? "utf-8") ? essence : contentType;
  } catch {
    return contentType;
  }
}
