import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { foldName } from "@stowage/api/names/fold-name";
import {
  BucketUploadsService,
  type ListUploadsRequest,
} from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { findUpload } from "./find-upload.ts";

const searchLengthMax = 256;

/** A service with these files in the folder /a, which counts the uploads that it has listed. */
function serviceWith(filenames: readonly string[]) {
  const all = filenames.map((filename, index) => ({ uploadId: `${index}`, filename }));
  const listed: string[] = [];
  function listUploads({ path, search = "", sortBy, sortOrder, ...page }: ListUploadsRequest) {
    assert.deepEqual([path, page.recursive], ["/a/", false]);
    assert.ok([...search].length <= searchLengthMax);
    const matches = all.filter(({ filename }) => isFound(filename, search));
    if (sortBy === "filename") matches.sort((a, b) => (a.filename < b.filename ? -1 : 1));
    if (sortOrder !== "asc") matches.reverse();
    const start = Number(page.cursor);
    const end = start + page.pageSize;
    const uploads = matches.slice(start, end);
    listed.push(...uploads.map(({ filename }) => filename));
    return { uploads, nextCursor: end < matches.length ? `${end}` : "" };
  }
  const transport = createRouterTransport(({ rpc }) => {
    rpc(BucketUploadsService.method.listUploads, listUploads);
  });
  return { client: createClient(BucketUploadsService, transport), listed };
}

const wildcards: Readonly<Record<string, string>> = { "*": ".*", "?": "." };

/** As the contract describes a search. */
function isFound(filename: string, search: string): boolean {
  const [name, text] = [foldName(filename), foldName(search)];
  if (!/[*?]/.test(text)) return name.includes(text);
  const pattern = text.split("").map((each) => wildcards[each] ?? RegExp.escape(each));
  return new RegExp(`^${pattern.join("")}$`, "su").test(name);
}

const numbered = Array.from({ length: 2000 }, (_, index) => `${index}.txt`);

describe("findUpload()", () => {
  for (const filename of [
    "9999.txt",
    "x",
    "a*b?.txt",
    "*",
    "İ",
    "ΟΔΟΣ",
    "n\u0303.txt",
    "🙂",
    "y".repeat(256),
    "z".repeat(257),
    `${"🙂".repeat(300)}.txt`,
  ]) {
    it(`finds ${filename.slice(0, 20)} among names that contain it, and reads few`, async () => {
      const longer = numbered.map((name) => `${name} ${filename} ${name}`);
      const { client, listed } = serviceWith([...numbered, ...longer, filename]);
      const path = `/a/${filename}`;
      const upload = await findUpload(client, { path, bucket: undefined, id: undefined });
      assert.equal(upload.filename, filename);
      assert.ok(listed.length <= 10, `${listed.length} were listed`);
    });
  }

  it("finds the one of several with an ID, and names them without one", async () => {
    const { client } = serviceWith(["same", "samf", ...Array(2500).fill("same")]);
    const named = { path: "/a/same", bucket: undefined };
    assert.equal((await findUpload(client, { ...named, id: "2501" })).uploadId, "2501");
    await assert.rejects(findUpload(client, { ...named, id: undefined }), /with --id: 0, 2, 3, /);
  });

  it("says that there is no such file", async () => {
    const named = { path: "/a/none", bucket: undefined, id: undefined };
    await assert.rejects(findUpload(serviceWith(["nine"]).client, named), /no such file in the/);
  });
});
