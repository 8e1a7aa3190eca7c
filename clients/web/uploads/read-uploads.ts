/**
 * Reads pages of uploads. It does not use the generated client: messages of 1,000 uploads take
 * many times as long to make as the list may block the page.
 */
import { ConnectError } from "@connectrpc/connect";
import { errorOfResponse } from "../api/call-error.ts";
import type { ListQuery } from "./list-query.ts";
import type { Page } from "./page-chain.ts";
import { type JsonUpload, rowOf, type UploadRow } from "./upload-row.ts";

interface Answer {
  readonly uploads?: readonly JsonUpload[];
  readonly nextCursor?: string;
}

/** The page's own origin is the base unless another is given. Fails with a `ConnectError`. */
export async function readUploads(
  request: ListQuery & { readonly cursor: string; readonly pageSize: number },
  signal: AbortSignal,
  baseUrl = "",
): Promise<Page<UploadRow>> {
  try {
    const response = await fetch(`${baseUrl}/svc.api.v1.BucketUploadsService/ListUploads`, {
      method: "POST",
      headers: { "content-type": "application/json", "connect-protocol-version": "1" },
      body: JSON.stringify(request),
      signal,
    });
    if (!response.ok) throw await errorOfResponse(response);
    const { uploads = [], nextCursor = "" } = (await response.json()) as Answer;
    return { rows: uploads.map(rowOf), nextCursor };
  } catch (error) {
    throw ConnectError.from(error);
  }
}
