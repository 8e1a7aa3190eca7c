import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { describe, it } from "node:test";
import type { AccessToken } from "@stowage/access-token";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { createLogger } from "@stowage/process";
import { until } from "@stowage/process/testing";
import { AnswerMemory } from "./answer-memory.ts";
import { listen } from "./listen.ts";
import { createErrorReporter } from "./report-error.ts";
import { serveMethod } from "./serve-method.ts";
import { callListener } from "./testing/call-listener.ts";

const method = BucketUploadsService.method.listUploads;
const reservedBytes = 64 * 1024;
const bodyBytes = 60_000;
const never = () => new Promise<never>(() => {});
const scopes: ReadonlySet<string> = new Set(["upl:bucket:read"]);
const token = { organisationId: "acme", clientId: "client", scopes } as AccessToken;

interface Steps {
  readonly validate?: () => Promise<AccessToken>;
  readonly consumeRateLimit?: () => Promise<void>;
  readonly memory?: AnswerMemory;
}

/** A server that admits calls by these steps, with a connection to it over HTTP/2. */
async function start({ validate = async () => token, consumeRateLimit, memory = roomy() }: Steps) {
  const served = serveMethod(method, never, {
    validator: { validate },
    consumeRateLimit,
    memory,
    reportError: createErrorReporter(createLogger({ name: "test", level: "silent" })),
    bodyBytesMax: reservedBytes,
  });
  const listener = callListener({ methods: [served] });
  const server = await listen({ host: "127.0.0.1", port: 0 }, listener);
  const session = connect(`http://127.0.0.1:${server.port}`);
  return {
    call(headers: Record<string, string> = {}) {
      const stream = session.request({
        ":method": "POST",
        ":path": served.path,
        authorization: "Bearer a.b.c",
        "content-type": "application/json",
        "connect-protocol-version": "1",
        ...headers,
      });
      stream.on("error", () => {}).write(Buffer.alloc(bodyBytes, " "));
      return stream;
    },
    async [Symbol.asyncDispose]() {
      session.destroy();
      await server.close(0);
    },
  };
}

function roomy(): AnswerMemory {
  return new AnswerMemory({ bytesMax: 100 * reservedBytes });
}

describe("the admission of a call", () => {
  it("reserves the memory of a body before the call is counted, which may take long", async () => {
    const memory = roomy();
    await using server = await start({ consumeRateLimit: never, memory });
    const calls = Array.from({ length: 8 }, () => server.call());
    await until("all bodies count", () => memory.bytes === 8 * reservedBytes);
    for (const call of calls) call.close();
    await until("none does", () => memory.bytes === 0);
  });

  const waits: Readonly<Record<string, Steps>> = {
    "for a key": { validate: never },
    "for memory": { memory: new AnswerMemory({ bytesMax: 0 }) },
    "to be counted": { consumeRateLimit: never },
  };
  for (const [what, steps] of Object.entries(waits)) {
    it(`that waits ${what} ends when the time of the call is up`, async () => {
      await using server = await start(steps);
      const call = server.call({ "connect-timeout-ms": "50" });
      const [headers] = await once(call, "response");
      assert.equal(headers[":status"], 504);
    });
  }
});
