/**
 * The handle of a device code is a prefix and the hash of the code. Requests of browsers use it
 * instead of the device code, which only the device knows (RFC 8628 section 3.2). oidc-provider
 * writes the ID of a device code into the interaction, and the database has only a hash of it.
 */
const prefix = "hash:";
const hashBytes = 32;

/** The handle of a device code. */
export function handleOf(idHash: Buffer): string {
  return prefix + idHash.toString("base64url");
}

/** The hash in a handle; undefined for a device code. */
export function hashOfHandle(id: string): Buffer | undefined {
  const idHash = id.startsWith(prefix)
    ? Buffer.from(id.slice(prefix.length), "base64url")
    : undefined;
  return idHash?.length === hashBytes ? idHash : undefined;
}
