/** A yardstick that gives other uploads than the service measures something else. */
import assert from "node:assert/strict";
import { callListUploads } from "../stage/call-service.ts";
import type { Stage } from "../stage/stage.ts";
import type { Contestants } from "./contestants.ts";
import type { SortedPages } from "./sorted-pages.ts";

/** Throws unless the first page of every list has the same uploads from everyone. */
export async function provePages(
  stage: Stage,
  { service, floor, plain }: Contestants,
  pages: readonly SortedPages[],
): Promise<void> {
  for (const { first } of pages) {
    const idsBy = async (port: number) =>
      (await callListUploads(stage, port, first)).uploads.map(({ uploadId }) => uploadId);
    const ids = await idsBy(service.port);
    for (const { name, port } of [floor, plain]) {
      const request = JSON.stringify(first);
      assert.deepEqual(await idsBy(port), ids, `${name} answers ${request} with other uploads`);
    }
  }
}
