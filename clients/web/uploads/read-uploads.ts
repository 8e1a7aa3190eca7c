/**
 * Reads pages of uploads. It does not use the generated client: messages of 1,000 uploads take
 * many times as long to make as the list may block the page.
 */
import { ConnectError } from "@connectrpc/connect";
import { codeFromHttpStatus, errorFromJson } from "@connectrpc/connect/protocol-connect";
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
    if (!response.ok) throw await errorOf(response);
    const { uploads = [], nextCursor = "" } = (await response.json()) as Answer;
    return { rows: uploads.map(rowOf), nextCursor };
  } catch (error) {
    throw ConnectError.from(error);
  }
}

async function errorOf(response: Response): Promise<ConnectError> {
  const code = codeFromHttpStatus(response.status);
  const fallback = new ConnectError(`The answer has status ${response.status}`, code);
  try {
    return errorFromJson(await response.json(), response.headers, fallback);
  } catch {
    // A proxy on the way may answer with a page of its own.
    return fallback;
  }
}
