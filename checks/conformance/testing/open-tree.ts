/** Calls of ListFolderTree that let the test decide when to read the answer. */
import { once } from "node:events";
import { type IncomingMessage, request as requestHttp1 } from "node:http";
import { type ClientHttp2Stream, connect } from "node:http2";
import { callHeaders } from "../../testing/call-headers.ts";
import type { ListFolderTreeRequest } from "../model/list-folder-tree.ts";
import { callers } from "../samples/tenants.ts";
import type { Deployment } from "./deployment.ts";
import { listFolderTreePath } from "./json-caller.ts";

interface TreeCall {
  request?: ListFolderTreeRequest;
  headers?: Record<string, string>;
}

/** Calls over HTTP/1.1. Resolves when the headers of the response are there. */
export async function openTree(
  deployment: Deployment,
  { request = {}, headers = {} }: TreeCall = {},
): Promise<IncomingMessage> {
  const call = requestHttp1(new URL(listFolderTreePath, deployment.url), {
    method: "POST",
    agent: false,
    headers: { ...headersFor(deployment), ...headers },
  });
  call.end(JSON.stringify(request));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  return response;
}

/** The same over HTTP/2. The session ends with the stream. */
export async function openTreeHttp2(deployment: Deployment): Promise<ClientHttp2Stream> {
  const session = connect(deployment.url);
  const stream = session.request({
    ":method": "POST",
    ":path": listFolderTreePath,
    ...headersFor(deployment),
  });
  stream.once("close", () => session.close());
  stream.end("{}");
  await once(stream, "response");
  return stream;
}

function headersFor({ issuer }: Deployment): Record<string, string> {
  return callHeaders(issuer.mint(callers.reader));
}
