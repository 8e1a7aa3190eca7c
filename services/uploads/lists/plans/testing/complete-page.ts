import type { ReadColumn } from "../../../postgres/statements.ts";
import { type Page, readPage } from "../../read-page.ts";
import type { PageRequest, UploadList } from "../parameters.ts";

/** Reads a page by all plans on one connection, those that may take long too. */
export async function completePage(
  readColumn: ReadColumn,
  list: UploadList,
  request: PageRequest,
): Promise<Page> {
  const page = await readPage(readColumn, list, request);
  return "readLong" in page ? page.readLong(readColumn) : page;
}
