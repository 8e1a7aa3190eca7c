/** List requests: in which part of a bucket, by what, in which direction. */
import { fromJson, toBinary } from "@bufbuild/protobuf";
import { ListUploadsRequestSchema } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { callJson, listUploadsPath } from "../conformance/testing/json-caller.ts";
import { httpRequest } from "./load-generator.ts";
import type { Places } from "./loaded-database.ts";
import type { Testbed } from "./testbed.ts";

const scopes = ["bucket", "folder", "subtree"] as const;
export const sorts = ["created_at", "updated_at", "filename", "size_bytes", "order"] as const;
const directions = ["desc", "asc"] as const;

export interface ListShape {
  readonly scope: (typeof scopes)[number];
  readonly sortBy: (typeof sorts)[number];
  readonly sortOrder: (typeof directions)[number];
}

export const listShapes: readonly ListShape[] = scopes.flatMap((scope) =>
  sorts.flatMap((sortBy) => directions.map((sortOrder) => ({ scope, sortBy, sortOrder }))),
);

export const newestOfFolder: ListShape = {
  scope: "folder",
  sortBy: "created_at",
  sortOrder: "desc",
};

export function titleOf({ scope, sortBy, sortOrder }: ListShape): string {
  return `${scope}, ${sortBy} ${sortOrder}`;
}

/** The body of the request for the first page. */
export function pageBody({ scope, ...sorting }: ListShape, places: Places): object {
  const where = {
    bucket: {},
    folder: { path: places.folder.path },
    subtree: { path: places.subtree.path, recursive: true },
  };
  return { ...where[scope], ...sorting };
}

/** The same request with the tokens of several callers. */
export function listRequests(
  testbed: Testbed,
  body: object,
  options: { readonly isBinary?: boolean; readonly callers?: number } = {},
): Buffer[] {
  const { isBinary = false, callers = 20 } = options;
  const content = isBinary
    ? toBinary(ListUploadsRequestSchema, fromJson(ListUploadsRequestSchema, { ...body }))
    : body;
  return Array.from({ length: callers }, () =>
    httpRequest(listUploadsPath, testbed.token(), content),
  );
}

interface Page {
  readonly uploads: readonly { readonly uploadId: string }[];
  readonly nextCursor: string;
}

/** One call that is not measured. */
export async function callListUploads(testbed: Testbed, port: number, body: object): Promise<Page> {
  const url = `http://127.0.0.1:${port}`;
  const { status, text } = await callJson(url, { body, token: testbed.token() });
  if (status !== 200) throw new Error(`Cannot list uploads: got status ${status}: ${text}`);
  return JSON.parse(text) as Page;
}
