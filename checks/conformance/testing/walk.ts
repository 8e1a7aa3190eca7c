/** Walks through all pages of a list, as a client does that only knows about cursors. */
import assert from "node:assert/strict";
import type { Caller } from "../model/caller.ts";
import type { ListUploadsRequest } from "../model/list-uploads.ts";
import type { Upload } from "../model/messages.ts";
import type { Deployment } from "./deployment.ts";
import { listUploads, type UploadsPage } from "./json-caller.ts";

/** More pages than any walk here has: one that does not end fails instead. */
const pagesMax = 20_000;

export interface Walk {
  deployment: Deployment;
  caller: Caller;
  request: ListUploadsRequest;
  /** The size of the page with this number, from 0. */
  pageSize: (pageNumber: number) => number;
  /** Runs while each page after the first is asked for. */
  meanwhile?: () => Promise<void>;
}

/** All uploads in the order in which they came. Fails when a page but the last is not full. */
export async function walk({ deployment, caller, request, pageSize, meanwhile }: Walk) {
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
  return assert.fail(`the walk has no end after ${pagesMax} pages`);
}

/** One page. A refusal fails the test. */
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
