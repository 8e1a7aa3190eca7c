import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { Code, ConnectError } from "@connectrpc/connect";
import { reasonOf } from "../api/call-error.ts";
import { readUploads } from "./read-uploads.ts";

const request = {
  bucketRef: { bucketId: "b1" },
  path: "/a",
  sortBy: "filename",
  sortOrder: "asc",
  cursor: "",
  pageSize: 100,
} as const;

describe("reading a page of uploads", () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let baseUrl = "";
  const server = createServer((incoming, response) => answer(incoming, response));
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const read = (signal = new AbortController().signal) => readUploads(request, signal, baseUrl);

  it("keeps what rows show", async () => {
    answer = (_, response) =>
      response.end(
        JSON.stringify({
          uploads: [
            {
              uploadId: "u1",
              filename: "a.pdf",
              path: "/a",
              sizeBytes: "9007199254740991",
              type: "UPLOAD_TYPE_DOCUMENT",
              tags: ["x"],
              createdAt: "2026-11-23T00:00:00.123456Z",
              order: 7,
              slug: "not shown",
            },
            { uploadId: "u2", filename: "b", path: "/a", type: "UPLOAD_TYPE_UNSPECIFIED" },
          ],
          nextCursor: "c2",
        }),
      );
    const { rows, nextCursor } = await read();
    assert.equal(nextCursor, "c2");
    assert.deepEqual(rows, [
      {
        id: "u1",
        name: "a.pdf",
        path: "/a",
        sizeBytes: 2 ** 53 - 1,
        createdAtMs: Date.UTC(2026, 10, 23, 0, 0, 0, 123),
        updatedAtMs: undefined,
        order: 7,
        type: "document",
        tags: ["x"],
      },
      {
        id: "u2",
        name: "b",
        path: "/a",
        sizeBytes: 0,
        createdAtMs: undefined,
        updatedAtMs: undefined,
        order: 0,
        type: "",
        tags: [],
      },
    ]);
  });

  it("reads an empty answer", async () => {
    answer = (_, response) => response.end("{}");
    assert.deepEqual(await read(), { rows: [], nextCursor: "" });
  });

  it("fails with the reason that the service gives", async () => {
    answer = (_, response) => {
      response.writeHead(429, { "content-type": "application/json" });
      // ErrorInfo of google.rpc: reason and domain.
      const value = Buffer.from("\n\u0012LIST_TOO_EXPENSIVE\u0012\u0007stowage").toString("base64");
      const details = [{ type: "google.rpc.ErrorInfo", value }];
      response.end(JSON.stringify({ code: "resource_exhausted", message: "too long", details }));
    };
    await assert.rejects(read, (error: ConnectError) => {
      assert.equal(error.code, Code.ResourceExhausted);
      assert.equal(error.rawMessage, "too long");
      return reasonOf(error) === "LIST_TOO_EXPENSIVE";
    });
  });

  it("fails as unavailable if a proxy answers instead", async () => {
    answer = (_, response) => response.writeHead(503).end("<h1>Sorry</h1>");
    await assert.rejects(read, { code: Code.Unavailable });
  });

  it("fails if the connection breaks", async () => {
    answer = (_, response) => response.destroy();
    await assert.rejects(read, ConnectError);
  });

  it("cancels the call", async () => {
    const abort = new AbortController();
    answer = () => abort.abort();
    await assert.rejects(() => read(abort.signal), { code: Code.Canceled });
  });
});
