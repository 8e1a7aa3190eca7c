/** The secret in the cookie, and the hash under which the database has the session. */
import { createHash, randomBytes } from "node:crypto";

const idBytes = 32;

/** 256 random bits in base64url. */
export function newSessionId(): string {
  return randomBytes(idBytes).toString("base64url");
}

/** Whether a text has the form of an ID. The last character has four of its six bits. */
export function isSessionId(text: string): boolean {
  return /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(text);
}

/** The SHA-256 of an ID. A reader of the database cannot make the cookie from it. */
export function hashOf(sessionId: string): Buffer {
  return createHash("sha256").update(sessionId).digest();
}
