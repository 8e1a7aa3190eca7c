const comma = 0x2c;
const start = Buffer.from('{"uploads":[');

/** A page of `ListUploads`, made of the uploads' JSON, all in UTF-8. */
export function pageJson(
  documents: readonly Buffer[],
  nextCursor: string,
): Uint8Array<ArrayBuffer> {
  const end = `],"nextCursor":"${nextCursor}"}`;
  let size = start.length + Math.max(0, documents.length - 1) + end.length;
  for (const document of documents) size += document.length;

  const page = Buffer.allocUnsafe(size);
  let position = start.copy(page);
  for (const document of documents) {
    if (position > start.length) page[position++] = comma;
    position += document.copy(page, position);
  }
  page.write(end, position, "latin1");
  return page;
}
