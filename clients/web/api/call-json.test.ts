import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { CallError } from "./call-error.ts";
import { callJson } from "./call-json.ts";

describe("calls without messages", () => {
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

  const read = (signal = new AbortController().signal) =>
    callJson({ method: "a.v1.Service/List", request: { pageSize: 100 }, signal, baseUrl });

  it("returns the answer as it is", async () => {
    let seen: unknown;
    answer = (incoming, response) => {
      const { method, url, headers } = incoming;
      seen = [method, url, headers["content-type"], headers["connect-protocol-version"]];
      response.end('{"nextCursor":"c2"}');
    };
    assert.deepEqual(await read(), { nextCursor: "c2" });
    assert.deepEqual(seen, ["POST", "/a.v1.Service/List", "application/json", "1"]);
  });

  it("fails with the reason that the service gives", async () => {
    answer = (_, response) => {
      response.writeHead(429, { "content-type": "application/json" });
      // ErrorInfo of google.rpc: reason and domain.
      const value = Buffer.from("\n\u0012LIST_TOO_EXPENSIVE\u0012\u0007stowage").toString("base64");
      const details = [{ type: "google.rpc.ErrorInfo", value }];
      response.end(JSON.stringify({ code: "resource_exhausted", message: "too long", details }));
    };
    await assert.rejects(read, {
      code: "resource_exhausted",
      message: "too long",
      reason: "LIST_TOO_EXPENSIVE",
    });
  });

  it("fails as unavailable if a proxy answers instead", async () => {
    answer = (_, response) => response.writeHead(503).end("<h1>Sorry</h1>");
    await assert.rejects(read, { code: "unavailable" });
  });

  it("fails if the connection breaks", async () => {
    answer = (_, response) => response.destroy();
    await assert.rejects(read, CallError);
  });

  it("cancels the call", async () => {
    const abort = new AbortController();
    answer = () => abort.abort();
    await assert.rejects(() => read(abort.signal), { code: "canceled" });
  });
});
