import type { BufferPool } from "../http/buffer-pool.ts";
import type { CompleteAnswer } from "../http/handler.ts";

const start = Buffer.from('{"uploads":[');

/** A page of `ListUploads`, made of the uploads' JSON in UTF-8 with commas between them. */
export function pageAnswer(
  buffers: BufferPool,
  uploads: Buffer,
  nextCursor: string,
): CompleteAnswer {
  const end = `],"nextCursor":"${nextCursor}"}`;
  const { bytes, release } = buffers.acquire(start.length + uploads.length + end.length);
  start.copy(bytes);
  uploads.copy(bytes, start.length);
  bytes.write(end, start.length + uploads.length, "latin1");
  return { json: bytes, release };
}
