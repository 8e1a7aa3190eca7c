/** Requests a tree and drops what comes. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { listFolderTreePath } from "../../conformance/testing/json-caller.ts";
import { callHeaders } from "../../testing/call-headers.ts";
import type { Testbed } from "../testbed/testbed.ts";

interface TreeTimes {
  readonly tookMs: number;
  readonly firstByteMs: number;
}

/** Rejects unless the whole tree comes with status 200. */
export async function streamTree(
  testbed: Testbed,
  body: object,
  signal?: AbortSignal,
): Promise<TreeTimes> {
  const startMs = performance.now();
  const call = request({
    port: testbed.service.port,
    host: "127.0.0.1",
    path: listFolderTreePath,
    method: "POST",
    headers: callHeaders(testbed.token()),
    ...(signal && { signal }),
  });
  call.end(JSON.stringify(body));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`got a tree of status ${response.statusCode}`);
  const firstByteMs = performance.now() - startMs;
  response.resume();
  await once(response, "end");
  return { tookMs: performance.now() - startMs, firstByteMs };
}
