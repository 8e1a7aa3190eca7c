/** Calls that are not measured: to look at answers, and to get to later pages. */
import { fromJson, toBinary } from "@bufbuild/protobuf";
import { ListUploadsRequestSchema } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import {
  callJson,
  listFolderTreePath,
  listUploadsPath,
} from "../../conformance/testing/json-caller.ts";
import { httpRequest } from "../load/http-request.ts";
import type { PageRequest } from "../yardsticks/page-query.ts";
import { pageSize } from "../yardsticks/page-query.ts";
import type { Stage } from "./stage.ts";

interface Page {
  readonly uploads: readonly { readonly uploadId: string }[];
  readonly nextCursor: string;
}

/** Throws unless there is a page. */
export async function callListUploads(stage: Stage, port: number, body: object): Promise<Page> {
  const url = `http://127.0.0.1:${port}`;
  const { status, text } = await callJson(url, { body, token: stage.token() });
  if (status !== 200) throw new Error(`Cannot list uploads: got status ${status}: ${text}`);
  return JSON.parse(text) as Page;
}

/** The most that the contract gives on one page. */
const pageSizeMax = 1000;

/**
 * The request for a later page of the same list, or for its last full one when it has not so many.
 */
export async function laterPageRequest(
  stage: Stage,
  request: PageRequest,
  page: { readonly number: number; readonly uploads: number },
): Promise<PageRequest & { readonly cursor: string }> {
  const number = Math.max(1, Math.min(page.number, Math.floor(page.uploads / pageSize)));
  let cursor = "";
  for (let left = (number - 1) * pageSize; left > 0; left -= pageSizeMax) {
    const body = { ...request, cursor, pageSize: Math.min(left, pageSizeMax) };
    cursor = (await callListUploads(stage, stage.service.port, body)).nextCursor;
  }
  return { ...request, cursor };
}

/** A list request in binary protobuf. */
export function binaryBody(body: object): Uint8Array {
  return toBinary(ListUploadsRequestSchema, fromJson(ListUploadsRequestSchema, { ...body }));
}

/** The same request with tokens of several callers, as bytes. */
export function listRequests(stage: Stage, body: object | Uint8Array, callers = 20): Buffer[] {
  return Array.from({ length: callers }, () => httpRequest(listUploadsPath, stage.token(), body));
}

export function treeRequest(stage: Stage, body: object): Buffer {
  return httpRequest(listFolderTreePath, stage.token(), body);
}
