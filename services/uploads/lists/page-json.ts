import { takeMemory } from "../http/buffer-pool.ts";

const start = Buffer.from('{"uploads":[');

/**
 * A page of `ListUploads`, made of the uploads' JSON with commas between, in UTF-8. Its memory may
 * be given back.
 */
export function pageJson(uploads: Buffer, nextCursor: string): Uint8Array<ArrayBuffer> {
  const end = `],"nextCursor":"${nextCursor}"}`;
  const page = takeMemory(start.length + uploads.length + end.length);
  start.copy(page);
  uploads.copy(page, start.length);
  page.write(end, start.length + uploads.length, "latin1");
  return page;
}
