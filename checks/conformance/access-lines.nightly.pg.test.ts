/** The access line of each call, and its request ID. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { BucketFoldersService } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { until } from "@stowage/process/testing";
import { callHeaders } from "../testing/call-headers.ts";
import { plainLines } from "./samples/plain.ts";
import { bucketIds, callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import {
  callJson,
  type JsonCall,
  listFolderTreePath,
  listUploadsPath,
} from "./testing/json-caller.ts";
import { callHttp2 } from "./testing/raw-calls.ts";

interface AccessLine {
  readonly msg: string;
  readonly requestId: string;
  readonly operation: string;
  readonly reason: string;
}

function linesOf({ service }: Deployment): readonly AccessLine[] {
  const lines = service.log().split("\n").slice(0, -1);
  const read: readonly AccessLine[] = lines.map((line) => JSON.parse(line));
  return read.filter(({ msg }) => msg === "call");
}

/** Without what every log line has. */
async function lineOf(deployment: Deployment, requestId: string): Promise<object> {
  const find = () => linesOf(deployment).filter((line) => line.requestId === requestId);
  await until(`line ${requestId}`, () => find().length > 0);
  assert.equal(find().length, 1);
  const line = find()[0] as AccessLine & Record<string, unknown>;
  const { time, pid, hostname, name, level, msg, timeMs, ...own } = line;
  assert.ok(Number(timeMs) >= 0);
  return own;
}

const { reader } = callers;
const known = {
  subject: `urn:svc:serviceaccount:${reader.clientId}`,
  client: reader.clientId,
  tenant: reader.organisationId,
};

describe("access lines", () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: plainLines, environment: { ACCESS_LOG: "on" } });
  });
  after(() => deployment?.close());

  const call = (requestId: string, jsonCall: JsonCall = {}) => {
    const plain = { "accept-encoding": "identity", "x-request-id": requestId };
    const headers = { ...jsonCall.headers, ...plain };
    const token = deployment.issuer.mint(reader);
    return callJson(deployment.url, { token, ...jsonCall, headers });
  };

  it("say who called what, with which result", async () => {
    const { text } = await call("a-list", { body: { pageSize: 20 } });
    assert.deepEqual(await lineOf(deployment, "a-list"), {
      requestId: "a-list",
      operation: "ListUploads",
      code: "ok",
      reason: "OK",
      rows: 20,
      bytes: Buffer.byteLength(text),
      ...known,
      bucket: bucketIds.primary,
    });
    await call("a-tree", { path: listFolderTreePath, body: { includeUploads: true } });
    const tree = await lineOf(deployment, "a-tree");
    assert.partialDeepStrictEqual(tree, { operation: "ListFolderTree", reason: "OK", rows: 62 });
  });

  it("say why a call was refused", async () => {
    const refused: Record<string, [JsonCall, object]> = {
      "no-token": [
        { token: "none" },
        { operation: "ListUploads", code: "unauthenticated", reason: "TOKEN_MALFORMED" },
      ],
      "no-field": [
        { body: { pageSize: -1 } },
        { code: "invalid_argument", reason: "FIELD_INVALID", ...known },
      ],
      "no-bucket": [
        { body: { bucketRef: { bucketId: bucketIds.nowhere } } },
        { reason: "BUCKET_NOT_FOUND" },
      ],
      "no-method": [{ path: "/nothing" }, { operation: "unknown", reason: "METHOD_UNKNOWN" }],
    };
    for (const [requestId, [jsonCall, expected]] of Object.entries(refused)) {
      const { headers } = await call(requestId, jsonCall);
      assert.equal(headers.get("x-request-id"), requestId);
      assert.partialDeepStrictEqual(await lineOf(deployment, requestId), expected);
    }
  });

  for (const [name, createTransport] of [
    ["gRPC", createGrpcTransport],
    ["gRPC-Web", createGrpcWebTransport],
  ] as const) {
    it(`are written for ${name}, and the request ID is returned`, async () => {
      const transport = createTransport({ baseUrl: deployment.url, httpVersion: "2" });
      const token = deployment.issuer.mint(reader);
      const ids: (string | null)[] = [];
      const optionsFor = (requestId: string, authorization: string) => ({
        headers: { authorization, "x-request-id": requestId },
        onHeader: (headers: Headers) => ids.push(headers.get("x-request-id")),
      });
      await createClient(BucketUploadsService, transport).listUploads(
        { pageSize: 5 },
        optionsFor(`${name}-list`, `Bearer ${token}`),
      );
      const line = await lineOf(deployment, `${name}-list`);
      assert.partialDeepStrictEqual(line, { reason: "OK", rows: 5, ...known });
      const refused = createClient(BucketFoldersService, transport).listFolderTree(
        { maxDepth: -1 },
        optionsFor(`${name}-tree`, `Bearer ${token}`),
      );
      await assert.rejects(refused);
      const { reason } = (await lineOf(deployment, `${name}-tree`)) as AccessLine;
      assert.equal(reason, "FIELD_INVALID");
      assert.equal(ids[0], `${name}-list`);
    });
  }

  for (const type of ["application/grpc+proto", "application/grpc-web+proto"]) {
    it(`say that a message is malformed in ${type}`, async () => {
      const requestId = type.replaceAll(/\W/g, "-");
      await call(requestId, { headers: { "content-type": type }, body: "no message" });
      const line = await lineOf(deployment, requestId);
      assert.partialDeepStrictEqual(line, { reason: "BODY_MALFORMED", ...known });
    });
  }

  it("are written for a caller that goes away", async () => {
    const headers = {
      ...callHeaders(deployment.issuer.mint(reader)),
      expect: "100-continue",
      "x-request-id": "a-hang-up",
    };
    const hangUp = request(new URL(listUploadsPath, deployment.url), { method: "POST", headers });
    hangUp.on("error", () => {}).flushHeaders();
    await once(hangUp, "continue");
    hangUp.destroy();
    const line = await lineOf(deployment, "a-hang-up");
    assert.partialDeepStrictEqual(line, { code: "canceled", reason: "CANCELLED" });
  });

  it("have a new ID for a request with none or with an unusual one", async () => {
    const unusual = [undefined, "", "a b", "x".repeat(65), "ä", '"}', "a.b.c", "{}"];
    for (const given of unusual) {
      const answer = await callJson(deployment.url, { headers: { "x-request-id": given } });
      assert.match(answer.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
    }
    const session = await callHttp2(deployment.url, { ":path": "/nothing" }, "");
    assert.match(String(session.headers["x-request-id"]), /^[0-9a-f-]{36}$/);
  });

  it("have IDs that health checks and the landing page return too", async () => {
    for (const path of ["/healthz", "/readyz", "/"]) {
      const headers = { "x-request-id": "a-probe" };
      const answer = await fetch(`${deployment.url}${path}`, { headers });
      assert.equal(answer.headers.get("x-request-id"), "a-probe");
      await answer.text();
    }
  });

  it("never hold a token, cursor, secret or search text", async () => {
    const word = "hushed";
    const token = deployment.issuer.mint(reader);
    const text = `${word} ${token}`;
    const fields = ["path", "search", "sortBy", "cursor", "dateFrom", word];
    const bodies: object[] = [
      ...fields.map((field) => ({ [field]: text.slice(0, 250) })),
      { tags: { allOf: [text] } },
      { bucketRef: { bucketId: text } },
      { bucketRef: { hostname: text } },
      { folder: { path: `/${text}` } },
      { pathFilter: { contains: word } },
      { uploadFilter: { glob: `${word}*` } },
    ];
    const headers = Object.fromEntries(
      ["x-request-id", "user-agent", "cookie", "referer", "traceparent", "tracestate", "x-real-ip"]
        .concat(["forwarded", "x-forwarded-for", "connect-timeout-ms", "content-encoding"])
        .map((name) => [name, text]),
    );
    const calls: JsonCall[] = [
      ...bodies.map((body) => ({ body, token })),
      ...bodies.map((body) => ({ body, token, path: listFolderTreePath })),
      { body: `{"${word}": "${token}"}`, token },
      { token: `${token}${word}` },
      { token: word.repeat(20) },
      { headers: { authorization: `Basic ${word}` } },
      { token, headers },
      { token, headers: { "content-type": `application/${word}` } },
      { token, path: `/${word}/${token}?access_token=${token}` },
      { token, method: "DELETE", path: `${listFolderTreePath}?${word}` },
    ];
    const earlier = linesOf(deployment).length;
    for (const each of calls) await callJson(deployment.url, each);
    await until("a line for each", () => linesOf(deployment).length === earlier + calls.length);
    assert.doesNotMatch(deployment.service.log(), new RegExp(word));
    const [, payload = ""] = token.split(".");
    assert.doesNotMatch(deployment.service.log(), new RegExp(payload));
  });

  it("are one for each call", async () => {
    const earlier = linesOf(deployment).length;
    await Promise.all(Array.from({ length: 50 }, (_, index) => call(`many-${index}`)));
    await until("a line for each", () => linesOf(deployment).length === earlier + 50);
    assert.equal(new Set(linesOf(deployment).map(({ requestId }) => requestId)).size >= 50, true);
  });
});

describe("ACCESS_LOG", () => {
  for (const [mode, expected] of [
    ["sampled", { failed: 3, succeeded: 2 }],
    ["off", { failed: 0, succeeded: 0 }],
  ] as const) {
    it(`is ${mode}`, async () => {
      const environment = { ACCESS_LOG: mode };
      const deployment = await deploy({ lines: plainLines, environment });
      const token = deployment.issuer.mint(reader);
      for (let count = 0; count < 3; count++) await callJson(deployment.url, {});
      for (let count = 0; count < 197; count++) {
        assert.equal((await callJson(deployment.url, { token })).status, 200);
      }
      await deployment.close();
      const lines = linesOf(deployment);
      const failed = lines.filter(({ reason }) => reason !== "OK");
      assert.equal(failed.length, expected.failed);
      assert.equal(lines.length - failed.length, expected.succeeded);
    });
  }
});
