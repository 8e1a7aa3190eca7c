import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { callError, connect } from "./connection.ts";

/** What a command says that calls this address. */
async function failureAt(baseUrl: string): Promise<string> {
  const client = await connect(BucketUploadsService, { baseUrl, token: "t" });
  const error = await client.listUploads({}).catch((error: unknown) => callError("Cannot", error));
  assert.ok(error instanceof Error);
  return error.message + (error.cause instanceof Error ? `: ${error.cause.message}` : "");
}

async function startServer(answer: RequestListener) {
  const server = createServer(answer);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const advice = "check --base-url or BASE_URL";

describe("a call", () => {
  it("says where nothing listens", async () => {
    const said = await failureAt("http://127.0.0.1:1");
    assert.match(said, /^Cannot at http:\/\/127\.0\.0\.1:1: nothing listens there; .*--base-url$/);
  });

  it("says that it cannot find the host", async () => {
    const said = await failureAt("http://nowhere.invalid");
    assert.equal(said, "Cannot at http://nowhere.invalid: its host cannot be found");
  });

  it("says that a server does not speak https", async () => {
    using server = await startServer((_, response) => response.end());
    const said = await failureAt(`https://${server.host}`);
    assert.equal(said, `Cannot at https://${server.host}: it does not speak https; try http`);
  });

  for (const [status, body, got] of [
    [501, "", "HTTP 501"],
    [404, '{"error":"invalid_request"}', "unimplemented"],
    [200, "<!doctype html>", "unsupported content type text/html"],
  ] as const) {
    it(`says that a server is no uploads service which answers ${status} ${body}`, async () => {
      using server = await startServer((request, response) => {
        response.setHeader("Content-Type", body.startsWith("{") ? "application/json" : "text/html");
        request.resume().on("end", () => response.writeHead(status).end(body));
      });
      const baseUrl = `http://${server.host}`;
      const reason = `no uploads service answers there (${got})`;
      assert.equal(await failureAt(baseUrl), `Cannot at ${baseUrl}: ${reason}; ${advice}`);
    });
  }

  for (const status of [429, 502, 503]) {
    it(`does not blame the address when a proxy answers ${status}`, async () => {
      using server = await startServer((request, response) => {
        request.resume().on("end", () => response.writeHead(status).end("<!doctype html>"));
      });
      const said = await failureAt(`http://${server.host}`);
      assert.equal(said, `Cannot: HTTP ${status} (unavailable)`);
    });
  }

  it("does not blame the address when the answer breaks off", async () => {
    using server = await startServer((request, response) => {
      request.resume().on("end", () => response.destroy());
    });
    assert.match(await failureAt(`http://${server.host}`), /^Cannot: .+ \(aborted\)$/);
  });
});
