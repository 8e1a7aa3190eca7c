/** Reads all pages of a list by their cursors, as a client does. */
import assert from "node:assert/strict";
import type { Caller } from "../model/caller.ts";
import type { ListUploadsRequest } from "../model/list-uploads.ts";
import type { Upload } from "../model/messages.ts";
import type { Deployment } from "./deployment.ts";
import { listUploads, type UploadsPage } from "./json-caller.ts";

/** More pages than any list here has: paging that does not end fails. */
const pagesMax = 20_000;

interface Paging {
  deployment: Deployment;
  caller: Caller;
  request: ListUploadsRequest;
  /** The size of the page with this number, from 0. */
  pageSize: (pageNumber: number) => number;
  /** Runs during the request of each page after the first. */
  meanwhile?: () => Promise<void>;
}

/** All uploads in the order of the answers. Fails if a page other than the last is not full. */
export async function readAllPages({ deployment, caller, request, pageSize, meanwhile }: Paging) {
  const uploads: Upload[] = [];
  let cursor = "";
  for (let pageNumber = 0; pageNumber < pagesMax; pageNumber++) {
    const size = pageSize(pageNumber);
    const [page] = await Promise.all([
      readPage(deployment, caller, { ...request, cursor, pageSize: size }),
      pageNumber > 0 ? meanwhile?.() : undefined,
    ]);
    uploads.push(...page.uploads);
    if (page.nextCursor === "") return uploads;
    assert.equal(page.uploads.length, size, "a page with a page after it is full");
    cursor = page.nextCursor;
  }
  return assert.fail(`paging has not ended after ${pagesMax} pages`);
}

/** One page. An error answer fails the test. */
export async function readPage(
  deployment: Deployment,
  caller: Caller,
  request: ListUploadsRequest,
): Promise<UploadsPage> {
  const page = await listUploads(deployment, caller, request);
  if ("error" in page) assert.fail(`refused ${JSON.stringify(request)}: ${page.text}`);
  return page;
}

/** Runs a function for every element in order, several at a time. Rejects with the first error. */
export async function concurrently<T>(
  elements: readonly T[],
  run: (element: T, index: number) => Promise<void>,
  width = 6,
): Promise<void> {
  const remaining = elements.entries();
  const worker = async () => {
    for (const [index, element] of remaining) await run(element, index);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
