/** Sends a request to the service and to the model, and asserts that the answers are equal. */
import assert from "node:assert/strict";
import type { Caller } from "../model/caller.ts";
import { setByImport } from "../model/complete.ts";
import {
  type ListFolderTreeRequest,
  listFolderTree as listFolderTreeByModel,
} from "../model/list-folder-tree.ts";
import {
  type ListUploadsRequest,
  listUploads as listUploadsByModel,
} from "../model/list-uploads.ts";
import { ModelError, type Tree, type TreeNode } from "../model/messages.ts";
import type { Bucket } from "../model/records.ts";
import { seed } from "../samples/random-bucket.ts";
import type { Deployment } from "./deployment.ts";
import { type ErrorAnswer, listFolderTree, listUploads, type UploadsPage } from "./json-caller.ts";

const restPageSize = 1000;

/** Compares the first page as requested, then all the rest in large pages. */
export async function assertListsLikeModel(
  deployment: Deployment,
  buckets: readonly Bucket[],
  caller: Caller,
  request: ListUploadsRequest,
): Promise<void> {
  const context = contextOf(caller, request);
  const expected = answerOrCode(() => listUploadsByModel(buckets, caller, request));
  const first = await listUploads(deployment, caller, request);
  if (isCode(expected) || "error" in first) return assertSameError(first, expected, context);

  const firstSize = request.pageSize || 50;
  let page: UploadsPage = first;
  let position = 0;
  for (let size = firstSize; ; size = restPageSize) {
    const rows = expected.slice(position, position + size);
    position += rows.length;
    assertSameJson(page.uploads, rows, `${context}, page that ends at ${position}`);
    const isLast: boolean = position === expected.length;
    assert.equal(page.nextCursor === "", isLast, `nextCursor at ${position}: ${context}`);
    if (isLast) return;
    page = await nextPage(deployment, caller, { ...request, pageSize: restPageSize }, page);
  }
}

async function nextPage(
  deployment: Deployment,
  caller: Caller,
  request: ListUploadsRequest,
  { nextCursor }: UploadsPage,
): Promise<UploadsPage> {
  const answer = await listUploads(deployment, caller, { ...request, cursor: nextCursor });
  assert.ok(!("error" in answer), `a next page was refused: ${contextOf(caller, request)}`);
  return answer;
}

export async function assertTreeLikeModel(
  deployment: Deployment,
  buckets: readonly Bucket[],
  caller: Caller,
  request: ListFolderTreeRequest,
): Promise<void> {
  const context = contextOf(caller, request);
  const expected = answerOrCode(() => listFolderTreeByModel(buckets, caller, request));
  const answer = await listFolderTree(deployment, caller, request);
  if (isCode(expected) || "error" in answer) return assertSameError(answer, expected, context);

  const known = buckets.flatMap(({ folders }) => folders.map(({ folderId }) => folderId));
  assertSameJson(maskImportedIds(answer, new Set(known)), expected, context);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Masks the IDs that the import sets: the model knows only their form. */
export function maskImportedIds(tree: Tree, known: ReadonlySet<string>): Tree {
  const mask = (node: TreeNode): TreeNode => {
    const { folderId } = node.folder;
    const isMade = !known.has(folderId) && uuid.test(folderId);
    const folder = { ...node.folder, folderId: isMade ? setByImport : folderId };
    return { ...node, folder, children: node.children.map(mask) };
  };
  return { ...tree, children: tree.children.map(mask) };
}

function assertSameError(answer: object, expected: unknown, context: string): void {
  const code = "error" in answer ? (answer as ErrorAnswer).error.code : "an answer";
  assert.equal(code, isCode(expected) ? expected : "an answer", context);
}

/** What the model answers, or the code of its error. */
export function answerOrCode<T extends object>(ask: () => T): T | string {
  try {
    return ask();
  } catch (error) {
    if (error instanceof ModelError) return error.code;
    throw error;
  }
}

function isCode(answer: unknown): answer is string {
  return typeof answer === "string";
}

function contextOf(caller: Caller, request: object): string {
  return `seed ${seed}: ${JSON.stringify(request)} of ${JSON.stringify(caller)}`;
}

/** Fails with the first difference only: whole pages are too long to print. */
export function assertSameJson(actual: unknown, expected: unknown, context: string): void {
  const difference = firstDifference(actual, expected, "answer");
  if (difference) assert.fail(`${difference}\n${context}`);
}

function firstDifference(actual: unknown, expected: unknown, at: string): string | undefined {
  if (!isContainer(actual) || !isContainer(expected)) {
    if (Object.is(actual, expected)) return undefined;
    return `${at}: got ${brief(actual)}, need ${brief(expected)}`;
  }
  if (Array.isArray(actual) !== Array.isArray(expected)) {
    return `${at}: got ${brief(actual)}, need ${brief(expected)}`;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const place = Array.isArray(expected) ? `${at}[${key}]` : `${at}.${key}`;
    if (!Object.hasOwn(actual, key)) return `${place}: missing, need ${brief(expected[key])}`;
    if (!Object.hasOwn(expected, key)) return `${place}: got ${brief(actual[key])}, need none`;
    const inside = firstDifference(actual[key], expected[key], place);
    if (inside) return inside;
  }
  return undefined;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
