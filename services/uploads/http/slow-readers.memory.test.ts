import assert from "node:assert/strict";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { afterEach, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { create } from "@bufbuild/protobuf";
import type { AccessToken } from "@stowage/access-token";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { until } from "@stowage/process/testing";
import { CallRecord } from "../telemetry/call-record.ts";
import { AnswerMemory } from "./answer-memory.ts";
import { type Listening, listen } from "./listen.ts";
import { sendBytes } from "./protocols/send-answer.ts";
import { openCall } from "./running-call.ts";
import { countAnswers } from "./serve-method.ts";

const { input } = BucketUploadsService.method.listUploads;
const answerBytes = 8 * 1024 * 1024;
const bytesMax = 64 * 1024 * 1024;
/** What tenants with several answers may use together. */
const sharedBytes = 48 * 1024 * 1024;
const callers = 40;

let server: Listening;
afterEach(() => server.close(0));

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What is still in use after a garbage collection, in bytes. */
function memoryBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A server that answers with large answers, and what its calls came to. */
async function start(sendProgressMs: number) {
  const memory = new AnswerMemory({ bytesMax });
  const outcomes: string[] = [];
  const list = countAnswers<typeof input>(async () => ({
    json: Buffer.alloc(answerBytes, " "),
    release() {},
  }));
  server = await listen({ host: "127.0.0.1", port: 0 }, (request, response) => {
    const limits = { timeoutMaxMs: 60_000, sendProgressMs };
    const call = openCall(request.headers, response, limits, new CallRecord("a-request"));
    const [, organisationId, clientId] = request.url?.split("/") ?? [];
    const caller = { organisationId, clientId } as AccessToken;
    const serve = async () => {
      const resizeAnswer = await memory.reserve(caller, call);
      const answer = await list(create(input), { ...call, caller, resizeAnswer });
      if (!("json" in answer)) throw new Error("need JSON");
      const { json: content, release } = answer;
      await sendBytes(response, call, { contentType: "text/plain", content, release }, null);
    };
    serve().then(
      () => outcomes.push("sent"),
      ({ reason, message }) => {
        outcomes.push(reason ?? message);
        response.destroy();
      },
    );
  });
  return { memory, outcomes };
}

type Caller = Socket | ClientHttp2Session;

function callByHttp1(path: string): Caller {
  const socket = connect(server.port, server.host).pause();
  socket.on("error", () => {}).write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return socket;
}

function callByHttp2(path: string): Caller {
  const session = connectHttp2(`http://${server.host}:${server.port}`);
  session.on("error", () => {});
  session.request({ ":path": path }).on("error", () => {});
  return session;
}

for (const [protocol, call] of [
  ["HTTP/1.1", callByHttp1],
  ["HTTP/2", callByHttp2],
] as const) {
  it(`all callers that do not read hold a bounded memory, which returns, ${protocol}`, async () => {
    const { memory } = await start(60_000);
    const beforeBytes = memoryBytes();
    const open = Array.from({ length: callers }, (_, index) => call(`/${index % 4}/${index}`));
    await until("there is no more room", () => memory.bytes >= sharedBytes - answerBytes);
    await setTimeout(200);
    const heldBytes = memoryBytes() - beforeBytes;
    assert.ok(memory.bytes <= bytesMax, `counts ${memory.bytes} bytes`);
    assert.ok(heldBytes < 1.25 * bytesMax, `holds ${heldBytes} bytes`);

    for (const caller of open) caller.destroy();
    await until("nothing is counted", () => memory.bytes === 0);
    await until("memory has returned", () => memoryBytes() - beforeBytes < answerBytes);
  });
}

it("callers that do not read lose their answers, and others get theirs", async () => {
  const { memory, outcomes } = await start(1000);
  const open = Array.from({ length: 4 }, (_, index) => callByHttp1(`/slow/${index % 2}`));
  await until("the tenant holds its half", () => memory.bytes === bytesMax / 2);
  const { host, port } = server;
  const answer = await fetch(`http://${host}:${port}/slow/0`);
  assert.equal((await answer.arrayBuffer()).byteLength, answerBytes);
  assert.deepEqual(outcomes.slice(0, 1), ["CANCELLED"]);
  for (const caller of open) caller.destroy();
});
