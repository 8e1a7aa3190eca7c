import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";
import { type GetUploadRequest, UploadsService } from "@stowage/api/stowage/v1/uploads_service_pb";
import { findUpload } from "./find-upload.ts";

const files = [
  { uploadId: "1", path: "/", filename: "a.txt" },
  { uploadId: "2", path: "/b/c", filename: "a.txt" },
  { uploadId: "3", path: "/b/c", filename: "same" },
  { uploadId: "4", path: "/b/c", filename: "same" },
];

/** A service with these files. */
const transport = createRouterTransport(({ rpc }) => {
  rpc(
    UploadsService.method.getUpload,
    ({ uploadId, path, filename, bucketRef }: GetUploadRequest) => {
      if (bucketRef !== undefined) throw refusal("BUCKET_NOT_FOUND", "no such bucket");
      const [upload, ...more] = files.filter((file) =>
        uploadId === ""
          ? file.path === path && file.filename === filename
          : file.uploadId === uploadId,
      );
      if (upload === undefined) throw refusal("UPLOAD_NOT_FOUND", "no such upload");
      return { upload, hasMore: more.length > 0 };
    },
  );
});

function refusal(reason: string, message: string): ConnectError {
  const detail = { desc: ErrorInfoSchema, value: { domain: "stowage", reason } };
  return new ConnectError(message, Code.NotFound, undefined, [detail]);
}

const client = createClient(UploadsService, transport);

async function idOf(path: string, id?: string): Promise<string | undefined> {
  return (await findUpload(client, { path, bucket: undefined, id }))?.uploadId;
}

describe("findUpload()", () => {
  it("finds a file by its path, with or without the first slash", async () => {
    assert.equal(await idOf("/a.txt"), "1");
    assert.equal(await idOf("/b/c/a.txt"), "2");
    assert.equal(await idOf("b/c/a.txt"), "2");
  });

  it("finds nothing where there is no such file", async () => {
    assert.equal(await idOf("/b/a.txt"), undefined);
  });

  it("finds one of several by its ID, and says where their IDs are without one", async () => {
    assert.equal(await idOf("/b/c/same", "4"), "4");
    await assert.rejects(
      idOf("/b/c/same"),
      /with --id \(stowage ls \/b\/c --json shows their IDs\)/,
    );
  });

  it("finds no file by an ID that has another path", async () => {
    assert.equal(await idOf("/b/c/same", "2"), undefined);
  });

  it("says that there is no such bucket", async () => {
    const named = { path: "/a.txt", bucket: "none", id: undefined };
    await assert.rejects(findUpload(client, named), /no such bucket \(BUCKET_NOT_FOUND\)$/);
  });
});
