/** A UUID of any version in its 36-character form (RFC 9562 section 4), in upper or lower case. */
export const uuidPattern = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** Whether a text is a UUID in its 36-character form, in upper or lower case. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** Whether a text is a UUID as PostgreSQL writes it: in lower case. */
export function isLowerCaseUuid(text: string): boolean {
  return isUuid(text) && text === text.toLowerCase();
}
