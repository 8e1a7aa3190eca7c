import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create } from "@bufbuild/protobuf";
import { type Upload, UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import fc from "fast-check";
import { isFound } from "../text/is-found.ts";
import { findUpload, pathOf, searchFor, type WantedUpload } from "./find-upload.ts";

const filenames = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }),
    fc.string({ unit: fc.constantFrom(..."*?İΣςsS̆é\u0301ẞﬁ%_\\"), minLength: 1 }),
  )
  .map((name) => name.replaceAll("/", ""))
  .filter((name) => name !== "");

function upload(uploadId: string, path = "/a", filename = `${uploadId}.txt`): Upload {
  return create(UploadSchema, { uploadId, path, filename });
}

describe("the search for one name", () => {
  it("finds every name, within the limit of a search", () => {
    fc.assert(
      fc.property(filenames, (filename) => {
        const search = searchFor(filename);
        assert.ok([...search].length <= 256);
        assert.ok(isFound(filename, search), `${search} does not find ${filename}`);
      }),
    );
  });

  it("does not find names that only contain the name", () => {
    assert.equal(searchFor("a.txt"), "a.tx?");
    assert.equal(isFound("data.txt", searchFor("a.txt")), false);
    assert.equal(isFound("a.txt.bak", searchFor("a.txt")), false);
  });
});

describe("finding an upload", () => {
  const wanted: WantedUpload = {
    uploadId: "b",
    uploadPath: "/a/b.txt",
    folder: "/other",
    isRecursive: true,
  };

  it("searches the folder of the upload for its name", async () => {
    const asked: unknown[] = [];
    const found = await findUpload(wanted, async (filters, cursor) => {
      asked.push({ ...filters, cursor });
      return { uploads: [upload("c"), upload("b")], nextCursor: "more" };
    });
    assert.equal(found?.uploadId, "b");
    assert.deepEqual(asked, [{ path: "/a", recursive: false, search: "b.tx?", cursor: "" }]);
  });

  it("looks through the shown folder if the path is not known", async () => {
    const pages = [
      { uploads: [upload("a")], nextCursor: "2" },
      { uploads: [upload("b")], nextCursor: "" },
    ];
    const found = await findUpload({ ...wanted, uploadPath: "" }, async (filters, cursor) => {
      assert.deepEqual(filters, { path: "/other", recursive: true, search: "" });
      return pages[cursor === "" ? 0 : 1]!;
    });
    assert.equal(found?.uploadId, "b");
  });

  it("ends without the upload, and after a few pages", async () => {
    assert.equal(await findUpload(wanted, async () => ({ uploads: [], nextCursor: "" })), null);
    let pages = 0;
    const endless = async () => ({ uploads: [upload("a")], nextCursor: `${++pages}` });
    assert.equal(await findUpload(wanted, endless), null);
    assert.equal(pages, 5);
  });

  it("knows the paths of uploads", () => {
    assert.equal(pathOf(upload("b")), "/a/b.txt");
    assert.equal(pathOf(upload("b", "/")), "/b.txt");
  });
});
