/**
 * A handle of a device code: its hash, marked. Requests of browsers use it instead of the device
 * code, which only the device knows: see overrides/device-codes.ts.
 */
const mark = "hash:";
const hashBytes = 32;

/** The handle of a device code. */
export function handleOf(idHash: Buffer): string {
  return mark + idHash.toString("base64url");
}

/** The hash in a handle; undefined for a device code. */
export function hashOfHandle(id: string): Buffer | undefined {
  const idHash = id.startsWith(mark) ? Buffer.from(id.slice(mark.length), "base64url") : undefined;
  return idHash?.length === hashBytes ? idHash : undefined;
}
