/** Calls an operation with JSON and the Connect headers. */
import { fromBinary, type JsonObject } from "@bufbuild/protobuf";
import { BadRequestSchema, ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";
import type { Caller } from "../model/caller.ts";
import type { ListFolderTreeRequest } from "../model/list-folder-tree.ts";
import type { ListUploadsRequest } from "../model/list-uploads.ts";
import type { Tree, Upload } from "../model/messages.ts";
import type { Deployment } from "./deployment.ts";

export const listUploadsPath = "/svc.api.v1.BucketUploadsService/ListUploads";
export const listFolderTreePath = "/svc.api.v1.BucketFoldersService/ListFolderTree";

export interface JsonAnswer {
  status: number;
  headers: Headers;
  text: string;
}

export interface JsonCall {
  path?: string;
  method?: string;
  /** Text and bytes are sent unchanged. */
  body?: object | string | Uint8Array<ArrayBuffer>;
  token?: string;
  /** Replace the default headers; `undefined` removes one. */
  headers?: Record<string, string | undefined>;
}

/** Longer than the longest deadline of the service. */
const answerTimeMaxMs = 45_000;

/** One HTTP call. Fails when there is no answer in 45 s. */
export async function callJson(url: string, call: JsonCall): Promise<JsonAnswer> {
  const { path = listUploadsPath, method = "POST", body = {}, token } = call;
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const headers = new Headers({ "content-type": "application/json" });
  headers.set("connect-protocol-version", "1");
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  }
  const content = isRaw ? body : JSON.stringify(body);
  const answer = await fetch(new URL(path, url), {
    method,
    headers,
    signal: AbortSignal.timeout(answerTimeMaxMs),
    ...(method === "GET" ? {} : { body: content }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** An error answer, parsed. */
export interface ErrorAnswer {
  error: { status: number; code: string; reason: string; fields: string[] };
  text: string;
}

export interface UploadsPage {
  uploads: Upload[];
  nextCursor: string;
}

/** The page, or the error. */
export async function listUploads(
  { url, issuer }: Deployment,
  caller: Caller,
  request: ListUploadsRequest,
): Promise<UploadsPage | ErrorAnswer> {
  const answer = await callJson(url, { body: request, token: issuer.mint(caller) });
  return answer.status === 200 ? (JSON.parse(answer.text) as UploadsPage) : readError(answer);
}

/** The tree, or the error. */
export async function listFolderTree(
  { url, issuer }: Deployment,
  caller: Caller,
  request: ListFolderTreeRequest,
): Promise<Tree | ErrorAnswer> {
  const call = { path: listFolderTreePath, body: request, token: issuer.mint(caller) };
  const answer = await callJson(url, call);
  return answer.status === 200 ? (JSON.parse(answer.text) as Tree) : readError(answer);
}

export function readError({ status, text }: JsonAnswer): ErrorAnswer {
  const error = JSON.parse(text) as { code: string; details?: JsonObject[] };
  const reasons: string[] = [];
  const fields: string[] = [];
  for (const { type, value } of error.details ?? []) {
    const bytes = Buffer.from(String(value), "base64");
    if (type === "google.rpc.ErrorInfo") reasons.push(fromBinary(ErrorInfoSchema, bytes).reason);
    if (type !== "google.rpc.BadRequest") continue;
    fields.push(...fromBinary(BadRequestSchema, bytes).fieldViolations.map(({ field }) => field));
  }
  return { error: { status, code: error.code, reason: reasons.join(), fields }, text };
}
