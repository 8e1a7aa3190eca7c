const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID in its 36-character form (RFC 9562 section 4), of whatever version. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
