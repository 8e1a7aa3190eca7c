/** An independent client (`buf curl`, which uses connect-go) over all three protocols. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startProcess } from "@stowage/process/testing";
import { root } from "../testing/programs.ts";
import { plainLines } from "./samples/plain.ts";
import { bucketIds, callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listFolderTreePath, listUploadsPath } from "./testing/json-caller.ts";

/** Command-line options by protocol. Only gRPC needs HTTP/2. */
const protocols: Record<string, string[]> = {
  Connect: ["--protocol", "connect"],
  "Connect over HTTP/2": ["--protocol", "connect", "--http2-prior-knowledge"],
  gRPC: ["--protocol", "grpc", "--http2-prior-knowledge"],
  "gRPC-Web": ["--protocol", "grpcweb"],
  "gRPC-Web over HTTP/2": ["--protocol", "grpcweb", "--http2-prior-knowledge"],
};

interface UploadsJson {
  uploads: { filename: string; sizeBytes: string }[];
  nextCursor: string;
}

interface ErrorJson {
  code: string;
  details: { type: string; value: string }[];
}

interface TreeJson {
  children: { folder: { path: string }; rollup: { uploadCount: string } }[];
}

describe("buf curl", () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: plainLines });
  });
  after(() => deployment?.close());

  const curl = (protocol: string[], path: string, body: object, token: string) =>
    startProcess(
      "node_modules/.bin/buf",
      [
        "curl",
        "--schema",
        "api/proto",
        ...protocol,
        "--header",
        `Authorization: Bearer ${token}`,
        "--data",
        JSON.stringify(body),
        deployment.url + path,
      ],
      { cwd: root },
    ).ended;

  for (const [name, protocol] of Object.entries(protocols)) {
    it(`lists uploads over ${name}, page after page`, async () => {
      const token = deployment.issuer.mint(callers.reader);
      const filenames: string[] = [];
      let cursor = "";
      do {
        const request = { sortBy: "size_bytes", sortOrder: "asc", pageSize: 40, cursor };
        const { stdout, stderr } = await curl(protocol, listUploadsPath, request, token);
        assert.equal(stderr, "");
        const page = JSON.parse(stdout) as Partial<UploadsJson>;
        filenames.push(...(page.uploads ?? []).map(({ filename }) => filename));
        cursor = page.nextCursor ?? "";
      } while (cursor !== "");
      const expected = Array.from({ length: 60 }, (_, index) => `file ${index}.txt`);
      assert.deepEqual(filenames, expected);
    });

    it(`shows the folder tree over ${name}`, async () => {
      const token = deployment.issuer.mint(callers.reader);
      const request = { includeRollups: true };
      const { stdout, stderr } = await curl(protocol, listFolderTreePath, request, token);
      assert.equal(stderr, "");
      const { children } = JSON.parse(stdout) as TreeJson;
      assert.deepEqual(
        children.map(({ folder, rollup }) => [folder.path, rollup.uploadCount]),
        [["/folder", "30"]],
      );
    });

    it(`reads errors over ${name}`, async () => {
      const token = deployment.issuer.mint(callers.reader);
      const elsewhere = { bucketRef: { bucketId: bucketIds.nowhere } };
      const unknown = await curl(protocol, listFolderTreePath, elsewhere, token);
      assert.notEqual(unknown.exitCode, 0);
      const error = JSON.parse(unknown.stderr) as ErrorJson;
      assert.equal(error.code, "not_found");
      assert.equal(error.details[0]?.type, "google.rpc.ErrorInfo");
      const detail = Buffer.from(error.details[0]?.value ?? "", "base64").toString();
      assert.ok(detail.includes("BUCKET_NOT_FOUND"), detail);
      const expired = deployment.issuer.mint(callers.reader, { exp: 1 });
      const refused = await curl(protocol, listUploadsPath, {}, expired);
      assert.match(refused.stderr, /"code": "unauthenticated"/);
    });
  }
});
