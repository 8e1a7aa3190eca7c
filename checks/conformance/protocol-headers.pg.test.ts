/** The headers, paths and methods of calls, valid and invalid. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { callHeaders } from "../testing/call-headers.ts";
import { plainLines } from "./samples/plain.ts";
import { callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import {
  callJson,
  type JsonCall,
  listFolderTreePath,
  listUploadsPath,
  readError,
} from "./testing/json-caller.ts";

const version = "connect-protocol-version";
const timeout = "connect-timeout-ms";
const type = "content-type";

const acceptedHeaders: [string, string][] = [
  ...["9999999999", "30001", "30000", "0000005000"].map((value): [string, string] => [
    timeout,
    value,
  ]),
  [type, "application/json; charset=utf-8"],
  [type, "application/json;charset=UTF-8"],
  [type, "application/JSON"],
  // Names ignore case, values may be quoted, and unknown parameters are ignored (RFC 9110, 5.6.6).
  [type, 'application/json; charset="UTF-8"'],
  [type, 'application/json; charset="ut\\f-8"'],
  [type, "application/json \t;\tCharset=utf-8"],
  [type, "application/json;"],
  [type, "application/json; profile=x;charset=utf-8"],
];

const latin1 = "application/json; charset=latin1";

type RefusedHeader = [string, string | undefined, number, string, string];

const refusedHeaders: RefusedHeader[] = [
  ...[undefined, "2", "0", "1.0", "01", "1,1", "one"].map(
    (value): RefusedHeader => [version, value, 400, "invalid_argument", "PROTOCOL_VERSION_INVALID"],
  ),
  ...["-1", "+1", "1.5", "1e3", "abc", "0x10", "12345678901", "1 000"].map(
    (value): RefusedHeader => [timeout, value, 400, "invalid_argument", "TIMEOUT_INVALID"],
  ),
  ...["0", "0000000000"].map(
    (value): RefusedHeader => [timeout, value, 504, "deadline_exceeded", "DEADLINE_EXCEEDED"],
  ),
  ...["text/plain", "application/xml", "application/jsonx", "json", latin1, undefined].map(
    (value): RefusedHeader => [type, value, 415, "invalid_argument", "CONTENT_TYPE_UNSUPPORTED"],
  ),
];

describe("a call", () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: plainLines });
  });
  after(() => deployment?.close());

  const call = (given: JsonCall) =>
    callJson(deployment.url, { token: deployment.issuer.mint(callers.reader), ...given });

  for (const path of [listUploadsPath, listFolderTreePath]) {
    it(`is answered with JSON, by ${path}`, async () => {
      const answer = await call({ path });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get("content-type"), "application/json");
      assert.equal(answer.headers.get("www-authenticate"), null);
    });

    for (const [name, value] of acceptedHeaders) {
      it(`is answered with ${name} "${value}", by ${path}`, async () => {
        assert.equal((await call({ path, headers: { [name]: value } })).status, 200);
      });
    }

    for (const [name, value, status, code, reason] of refusedHeaders) {
      it(`is rejected with ${name} ${value ? `"${value}"` : "left out"}, by ${path}`, async () => {
        // `fetch` sets no content type for a body of bytes.
        const body = new TextEncoder().encode("{}");
        const answer = await call({ path, body, headers: { [name]: value } });
        const { error } = readError(answer);
        assert.deepEqual({ ...error, fields: [] }, { status, code, reason, fields: [] });
        assert.equal(answer.headers.get("content-type"), "application/json");
      });
    }

    it(`needs the protocol version in binary too, by ${path}`, async () => {
      const given = { path, body: new Uint8Array(0) };
      for (const binary of ["application/proto;", 'application/proto; charset="utf-8"']) {
        assert.equal((await call({ ...given, headers: { [type]: binary } })).status, 200);
      }
      const headers = { [type]: "application/proto" };
      assert.equal((await call({ ...given, headers })).status, 200);
      const answer = await call({ ...given, headers: { ...headers, [version]: undefined } });
      assert.equal(readError(answer).error.reason, "PROTOCOL_VERSION_INVALID");
    });

    for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
      it(`is rejected with method ${method}, by ${path}`, async () => {
        const answer = await call({ path, method });
        assert.equal(answer.status, 405);
        assert.equal(answer.headers.get("allow"), "POST");
      });
    }
  }

  for (const path of [
    "/",
    "/svc.api.v1.BucketUploadsService",
    "/svc.api.v1.BucketUploadsService/",
    "/svc.api.v1.BucketUploadsService/DeleteUploads",
    "/svc.api.v1.BucketUploadsService/listUploads",
    "/svc.api.v1.BucketUploadsService/ListUploads/",
    "/svc.api.v1.BucketUploadsService/ListFolderTree",
    "/svc.api.v2.BucketUploadsService/ListUploads",
    "/constructor/__proto__",
  ]) {
    it(`is unknown at ${path}`, async () => {
      assert.equal((await call({ path })).status, 404);
    });
  }

  for (const host of ["a b", "uploads:port", "[::1"]) {
    it(`is rejected with the host "${host}"`, async () => {
      const headers = { ...callHeaders(deployment.issuer.mint(callers.reader)), host };
      const sent = request(deployment.url, { method: "POST", headers, path: listUploadsPath });
      const [response] = (await once(sent.end("{}"), "response")) as [IncomingMessage];
      assert.equal(response.statusCode, 400);
      assert.match(await text(response), /the Host header is missing or malformed/);
    });
  }

  // The authority of such a target counts, and `Host` does not (RFC 9112 section 3.2.2).
  for (const [method, path] of [
    ["POST", `${listUploadsPath}?connect=v1`],
    ["POST", listFolderTreePath],
    ["GET", "/healthz"],
    ["GET", "/readyz"],
    ["GET", "/"],
    ["GET", ""],
  ] as const) {
    it(`may have the whole address as its target: ${method} http://…${path}`, async () => {
      const token = deployment.issuer.mint(callers.reader);
      const headers = { ...callHeaders(token), host: "not a host" };
      const target = `http://uploads.example:8080${path}`;
      const sent = request(deployment.url, { method, headers, path: target });
      sent.end(method === "POST" ? "{}" : undefined);
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      response.resume();
      assert.equal(response.statusCode, 200);
    });
  }
});
