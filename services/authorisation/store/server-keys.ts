/** Keys that all processes of the service share. */
import { serverKey } from "@stowage/process";
import type pg from "pg";

/**
 * Returns the key of the hashes of client secrets. The key is in the database like the hashes: the
 * secrets have 256 random bits, which nobody can guess with it.
 */
export function clientSecretKey(pool: pg.Pool): Promise<Buffer> {
  return serverKey(pool, "auth", "client secrets");
}

/** Returns the key of the IDs of sessions: see overrides/sessions.ts. */
export function sessionKey(pool: pg.Pool): Promise<Buffer> {
  return serverKey(pool, "auth", "sessions");
}

/** Returns the key of the cookies of known devices: see sign-in/login-attempts.ts. */
export function knownDeviceKey(pool: pg.Pool): Promise<Buffer> {
  return serverKey(pool, "auth", "known devices");
}
