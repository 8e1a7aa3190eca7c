import assert from "node:assert/strict";
import type { ReadColumn } from "../../../postgres/statements.ts";
import { createPageReader } from "../../read-page.ts";
import { listReader } from "../list-result.ts";
import type { PageRequest, UploadList } from "../parameters.ts";

/** Reads a page by all plans on one connection, those that may take long too. */
export async function completePage(readColumn: ReadColumn, list: UploadList, request: PageRequest) {
  const reader = createPageReader(
    list,
    request,
    listReader({ ...list, baseUrl: "http://uploads.example.com" }),
  );
  const { accessVersion, result: page } = await reader.read(readColumn, "long");
  assert.ok(page !== undefined);
  return { accessVersion, ...page };
}
