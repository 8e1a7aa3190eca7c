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
 * Reuses the memory of answers. To get new memory for a page from the system, and to touch it for
 * the first time, takes longer than to write the page.
 */
export class BufferPool {
  readonly #free: ArrayBuffer[] = [];

  /** Gives a buffer with any content. A buffer that is not released is collected as garbage. */
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
