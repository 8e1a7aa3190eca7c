/** Files that are sent in many steps, to callers who read slower than the service sends. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { get } from "node:http";
import { connect } from "node:http2";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { makeTemporaryFolder, type TemporaryFolder } from "@stowage/process/testing";
import type { Caller } from "./model/caller.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { mirrorDirectory } from "./testing/mirrored-directory.ts";

const owner: Caller = { organisationId: "owner", clientId: "reader" };
/** Far larger than a step of the service and the buffers of a socket. */
const content = randomBytes(16 * 1024 * 1024 + 1);
const readers = 4;

describe("the content of a large file", () => {
  let deployment: Deployment;
  let folder: TemporaryFolder;
  let path: string;
  let headers: { authorization: string };

  before(async () => {
    folder = await makeTemporaryFolder();
    await writeFile(join(folder.path, "large.bin"), content);
    deployment = await deploy({ lines: [] });
    const mirrored = await mirrorDirectory(
      deployment.databaseUrl,
      folder.path,
      "files.example.com",
    );
    path = `/content/${mirrored.bucketId}/${mirrored.uploadIds.get("large.bin")}`;
    headers = { authorization: `Bearer ${deployment.issuer.mint(owner)}` };
  });
  after(async () => {
    await deployment?.close();
    await folder?.remove();
  });

  it("arrives byte for byte over HTTP/1.1", async () => {
    const bodies = Array.from({ length: readers }, async () => {
      const sent = get(new URL(path, deployment.url), { headers, agent: false });
      const [response] = (await once(sent, "response")) as [Readable];
      return await readSlowly(response);
    });
    for (const body of await Promise.all(bodies)) assert.ok(body.equals(content));
  });

  it("arrives byte for byte over the streams of one HTTP/2 connection", async () => {
    const session = connect(deployment.url);
    try {
      const bodies = Array.from({ length: readers }, () =>
        readSlowly(session.request({ ":path": path, ...headers })),
      );
      for (const body of await Promise.all(bodies)) assert.ok(body.equals(content));
    } finally {
      session.close();
    }
  });
});

/** Pauses after every 16 chunks, so that all buffers on the way are full. */
async function readSlowly(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    if (chunks.length % 16 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return Buffer.concat(chunks);
}
