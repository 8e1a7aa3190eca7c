/**
 * The first characters of an upload's ID, or all of it: what indexes order uploads with equal keys
 * by. UUIDs, which most IDs are, are as good as random, so seven characters of one tell nearly all
 * uploads apart, and take 8 bytes in an index instead of 37. Lists order uploads with the same
 * prefix by their IDs.
 *
 * IDs in byte order have prefixes in byte order. So only the seven characters decide whether an ID
 * is cut off, never what follows them: other IDs between those with the same prefix have it too.
 * Where the first characters of IDs hardly differ, they are not cut off: one must be a letter,
 * because many services count in decimal, and they must not begin with `01`, as the times do that
 * UUIDs of version 7 begin with (RFC 9562).
 */
export function idPrefix(uploadId: string): string {
  const prefix = uploadId.slice(0, prefixLength);
  return hexWithLetter.test(prefix) ? prefix : uploadId;
}

const prefixLength = 7;
const hexWithLetter = /^(?!01)(?=.*[a-f])[0-9a-f]{7}$/;
