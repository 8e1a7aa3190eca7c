/** A page of fifty uploads usually fits. */
const blockBytes = 64 * 1024;

/** A smaller buffer does not get a whole block. */
const usedBytesMin = blockBytes / 4;

/** The pool keeps at most 4 MB of free blocks. */
const freeMax = 64;

export interface PooledBuffer {
  readonly bytes: Buffer<ArrayBuffer>;
  /** Returns the memory to the pool. Only the first call has an effect. */
  readonly release: () => void;
}

/**
 * Reuses the memory of answers. Allocating new memory and touching it for the first time takes
 * longer than writing a page.
 */
export class BufferPool {
  readonly #free: ArrayBuffer[] = [];

  /** The content of the buffer is arbitrary. A buffer that is not released is garbage-collected. */
  acquire(sizeBytes: number): PooledBuffer {
    if (sizeBytes < usedBytesMin) return notPooled(Buffer.allocUnsafe(sizeBytes));
    if (sizeBytes > blockBytes) return notPooled(Buffer.allocUnsafeSlow(sizeBytes));
    let block: ArrayBuffer | undefined = this.#free.pop() ?? new ArrayBuffer(blockBytes);
    return {
      bytes: Buffer.from(block, 0, sizeBytes),
      release: () => {
        if (block !== undefined && this.#free.length < freeMax) this.#free.push(block);
        block = undefined;
      },
    };
  }
}

function notPooled(bytes: Buffer<ArrayBuffer>): PooledBuffer {
  return { bytes, release() {} };
}
