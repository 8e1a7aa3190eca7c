/** Calls of the uploads service, which the page makes with the token of its session. */
import type { Handle } from "../http/answer.ts";
import { readBody } from "../http/read-body.ts";
import { whileConnected } from "../http/while-connected.ts";
import type { Sessions } from "../session/sessions.ts";
import { forwardAnswer } from "./forward-answer.ts";
import { type ForwardToUploads, tracingHeaders } from "./uploads.ts";
import { pick } from "./upstream.ts";

/** The methods that the page may call. */
export const callPaths = [
  "/svc.api.v1.BucketUploadsService/ListUploads",
  "/svc.api.v1.BucketFoldersService/ListFolderTree",
  "/stowage.v1.BucketsService/ListBuckets",
  "/stowage.v1.FoldersService/FindFolders",
  "/stowage.v1.UploadsService/GetUpload",
  "/stowage.v1.ContentService/CreateContentLink",
];

/** As large as the uploads service allows. */
const bodyBytesMax = 64 * 1024;

const requestHeaders = [
  "accept-encoding",
  "connect-protocol-version",
  "connect-timeout-ms",
  "content-encoding",
  "content-type",
  "user-agent",
  ...tracingHeaders,
];
const answerHeaders = ["content-encoding", "content-length", "content-type", "retry-after", "vary"];

interface CallOptions {
  readonly sessions: Sessions;
  readonly forward: ForwardToUploads;
}

/** Forwards a call, and its answer as it arrives. */
export function forwardCall(path: string, { sessions, forward }: CallOptions): Handle {
  return async (request, response) => {
    const signal = whileConnected(response);
    using open = await sessions.open(request, "call");
    const body = await readBody(request, bodyBytesMax);
    const headers = { ...pick(request.headers, requestHeaders), "content-length": body.length };
    const answer = await forward(open, { method: "POST", path, headers, body, signal });
    const picked = pick(answer.headers, answerHeaders);
    await forwardAnswer(answer, response, { ...picked, "cache-control": "no-store" });
  };
}
