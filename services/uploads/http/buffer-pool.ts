/**
 * Memory for answers, which is used again once they are sent: to get new memory for a page from the
 * system, and to touch it for the first time, takes longer than to write the page.
 */

/** A page of fifty fits, as a rule. */
const blockBytes = 64 * 1024;

/** To hold a whole block for less takes more than it saves. */
const usedBytesMin = blockBytes / 4;

/** More lie idle only after many answers at once: 4 MB. */
const freeMax = 64;

const free: ArrayBuffer[] = [];
const lent = new WeakSet<ArrayBufferLike>();

/** So many bytes, of any content. They may be given back; if not, nothing is lost but time. */
export function takeMemory(sizeBytes: number): Buffer<ArrayBuffer> {
  if (sizeBytes < usedBytesMin) return Buffer.allocUnsafe(sizeBytes);
  if (sizeBytes > blockBytes) return Buffer.allocUnsafeSlow(sizeBytes);
  const block = free.pop() ?? new ArrayBuffer(blockBytes);
  lent.add(block);
  return Buffer.from(block, 0, sizeBytes);
}

/** @param bytes nobody looks at them any more. Those that were not taken here are left alone. */
export function giveMemoryBack({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (lent.delete(buffer) && free.length < freeMax) free.push(buffer);
}
