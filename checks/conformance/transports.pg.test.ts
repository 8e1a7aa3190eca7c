/** One port for all: HTTP/1.1 and cleartext HTTP/2; Connect, gRPC and gRPC-Web. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import {
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";
import { BucketFoldersService } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { callHeaders } from "../testing/call-headers.ts";
import { plainLines } from "./samples/plain.ts";
import { bucketIds, callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, listUploadsPath } from "./testing/json-caller.ts";
import { callHttp2 } from "./testing/raw-calls.ts";

interface TransportOptions {
  baseUrl: string;
  interceptors: Interceptor[];
  sendCompression?: Compression;
  compressMinBytes?: number;
}

type MakeTransport = (options: TransportOptions) => Transport;

const transports: Record<string, MakeTransport> = { "gRPC over HTTP/2": createGrpcTransport };
for (const httpVersion of ["1.1", "2"] as const) {
  transports[`Connect over HTTP/${httpVersion}`] = (options) =>
    createConnectTransport({ ...options, httpVersion, useBinaryFormat: true });
  transports[`gRPC-Web over HTTP/${httpVersion}`] = (options) =>
    createGrpcWebTransport({ ...options, httpVersion });
}

/** Gzip whose end is lost on the way. */
const truncatedGzip: Compression = {
  ...compressionGzip,
  compress: async (bytes) => (await compressionGzip.compress(bytes)).slice(0, -9),
};

/** Gzip of bytes that are no message. */
const noMessage: Compression = {
  ...compressionGzip,
  compress: () => compressionGzip.compress(Uint8Array.of(0xff)),
};

describe("one port", () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: plainLines });
  });
  after(() => deployment?.close());

  const bearing =
    (token: string): Interceptor =>
    (next) =>
    (call) => {
      call.header.set("authorization", `Bearer ${token}`);
      return next(call);
    };

  for (const [name, makeTransport] of Object.entries(transports)) {
    const transportWith = (token: string, options: Partial<TransportOptions> = {}) =>
      makeTransport({ baseUrl: deployment.url, interceptors: [bearing(token)], ...options });

    it(`answers both operations in ${name}`, async () => {
      const transport = transportWith(deployment.issuer.mint(callers.reader));
      const list = await createClient(BucketUploadsService, transport).listUploads({ pageSize: 7 });
      assert.equal(list.uploads.length, 7);
      assert.equal(list.uploads[0]?.filename, "file 59.txt");
      const tree = await createClient(BucketFoldersService, transport).listFolderTree({
        includeUploads: true,
      });
      assert.equal(tree.children[0]?.folder?.path, "/folder");
      assert.equal(tree.children[0]?.uploads.length, 30);
    });

    it(`answers with the same error code and reason in ${name}`, async () => {
      const reader = transportWith(deployment.issuer.mint(callers.reader));
      const bucketRef = { reference: { case: "bucketId", value: bucketIds.nowhere } } as const;
      const unknown = createClient(BucketUploadsService, reader).listUploads({ bucketRef });
      await assert.rejects(unknown, refusal(Code.NotFound, "BUCKET_NOT_FOUND"));
      const wrong = createClient(BucketUploadsService, reader).listUploads({ pageSize: 1001 });
      await assert.rejects(wrong, refusal(Code.InvalidArgument, "FIELD_INVALID"));

      const expired = transportWith(deployment.issuer.mint(callers.reader, { exp: 1 }));
      const refused = createClient(BucketFoldersService, expired).listFolderTree({});
      await assert.rejects(refused, refusal(Code.Unauthenticated, "TOKEN_EXPIRED"));
      const unscoped = transportWith(deployment.issuer.mint(callers.reader, { scope: "other" }));
      const denied = createClient(BucketFoldersService, unscoped).listFolderTree({});
      await assert.rejects(denied, refusal(Code.PermissionDenied, "SCOPE_MISSING"));
    });

    for (const [what, sendCompression] of [
      ["a compressed request that is truncated", truncatedGzip],
      ["a request that cannot be parsed", noMessage],
    ] as const) {
      it(`refuses ${what} in ${name}`, async () => {
        const token = deployment.issuer.mint(callers.reader);
        const options = { sendCompression, compressMinBytes: 0 };
        const client = createClient(BucketUploadsService, transportWith(token, options));
        const answer = client.listUploads({ search: "file" });
        await assert.rejects(answer, refusal(Code.InvalidArgument, "BODY_MALFORMED"));
      });
    }

    it(`keeps deadlines in ${name}`, async () => {
      const reader = transportWith(deployment.issuer.mint(callers.reader));
      const client = createClient(BucketUploadsService, reader);
      const { uploads } = await client.listUploads({}, { timeoutMs: 3_600_000 });
      assert.equal(uploads.length, 50);
    });
  }

  const jsonHeaders = () => callHeaders(deployment.issuer.mint(callers.reader));

  it("answers the same JSON over HTTP/1.1 and HTTP/2", async () => {
    const token = deployment.issuer.mint(callers.reader);
    const first = await callJson(deployment.url, { token });
    const path = { ":path": listUploadsPath };
    const second = await callHttp2(deployment.url, { ...path, ...jsonHeaders() }, "{}");
    assert.equal(second.headers[":status"], 200);
    const uploads = (text: string) => (JSON.parse(text) as { uploads: object[] }).uploads;
    assert.deepEqual(uploads(second.text), uploads(first.text));
  });

  it("answers with the same error over HTTP/2 as over HTTP/1.1", async () => {
    const headers = { ":path": listUploadsPath, ...jsonHeaders(), authorization: "Bearer x" };
    const answer = await callHttp2(deployment.url, headers, "{}");
    assert.equal(answer.headers[":status"], 401);
    assert.match(String(answer.headers["www-authenticate"]), /^Bearer .*error="invalid_token"/);
  });

  it("rejects JSON in gRPC and gRPC-Web, which is not part of the contract", async () => {
    const token = deployment.issuer.mint(callers.reader);
    for (const type of ["application/grpc+json", "application/grpc-web+json"]) {
      const body = new Uint8Array([0, 0, 0, 0, 2, 0x7b, 0x7d]);
      const { status } = await callJson(deployment.url, {
        token,
        body,
        headers: { "content-type": type },
      });
      assert.equal(status, 415);
    }
  });

  it("accepts parameters of the media types of gRPC-Web", async () => {
    const token = deployment.issuer.mint(callers.reader);
    for (const parameters of [";", '; charset="UTF-8"', " ; x=y"]) {
      const { status, text } = await callJson(deployment.url, {
        token,
        body: new Uint8Array(5),
        headers: { "content-type": `application/grpc-web+proto${parameters}` },
      });
      assert.equal(status, 200, parameters);
      assert.match(text, /grpc-status: 0/);
    }
  });

  it("compresses an answer for a caller that accepts it", async () => {
    const plain = await rawCall("gzip;q=0.5, identity");
    const zipped = await rawCall("gzip;q=0.5, identity;q=0.4");
    const refused = await rawCall("gzip;q=0");
    assert.equal(refused.encoding, undefined);
    assert.equal(plain.encoding, undefined);
    assert.equal(zipped.encoding, "gzip");
    assert.ok(zipped.bytes.length < plain.bytes.length / 2);
    const uploads = (bytes: Buffer) => (JSON.parse(bytes.toString()) as { uploads: [] }).uploads;
    assert.deepEqual(uploads(gunzipSync(zipped.bytes)), uploads(plain.bytes));
  });

  async function rawCall(acceptEncoding: string) {
    const call = request(new URL(listUploadsPath, deployment.url), {
      method: "POST",
      headers: { ...jsonHeaders(), "accept-encoding": acceptEncoding },
    });
    call.end("{}");
    const [response] = (await once(call, "response")) as [IncomingMessage];
    const bytes = Buffer.concat(await response.toArray());
    return { encoding: response.headers["content-encoding"], bytes };
  }
});

function refusal(code: Code, reason: string) {
  return (error: unknown) => {
    const refused = ConnectError.from(error);
    assert.equal(refused.code, code, refused.message);
    const reasons = refused.findDetails(ErrorInfoSchema).map((detail) => detail.reason);
    assert.deepEqual(reasons, [reason]);
    return true;
  };
}
