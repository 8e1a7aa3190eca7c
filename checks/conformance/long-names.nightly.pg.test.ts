/** Filenames and slugs of the maximum length: listed, sorted, searched and paged through. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { listUploads } from "./model/list-uploads.ts";
import { type Line, readRecords } from "./model/records.ts";
import { bucketLine, callers } from "./samples/tenants.ts";
import { type Deployment, deploy, runImport } from "./testing/deployment.ts";
import { assertListsLikeModel, assertTreeLikeModel } from "./testing/like-model.ts";
import { readAllPages } from "./testing/read-pages.ts";

const nameBytesMax = 1024;

/** Ranges of code points of 1 to 4 bytes in UTF-8. The last two have another order in UTF-16. */
const ranges = [
  [0x61, 0x7a],
  [0xc0, 0x17f],
  [0x4e00, 0x9fff],
  [0x20000, 0x2a6df],
] as const;

/** A name of 1024 bytes. It varies, so that the database cannot compress it in an index entry. */
function longName([first, last]: readonly [number, number], ending: string): string {
  const bytesMax = nameBytesMax - Buffer.byteLength(ending);
  let name = "";
  for (let number = 1; ; number++) {
    const codePoint = first + ((number * number * 7919) % (last - first + 1));
    const longer = name + String.fromCodePoint(codePoint);
    if (Buffer.byteLength(longer) > bytesMax) break;
    name = longer;
  }
  return name + ".".repeat(bytesMax - Buffer.byteLength(name)) + ending;
}

const uploads: readonly Line[] = ranges.flatMap((range, index) =>
  ["1.txt", "2.txt", "\u00e9.txt", "\u{1f600}.txt"].map((ending, number) => ({
    upload: {
      // IDs of the maximum length too: with them cursors are longest.
      uploadId: `${"\u{1f600}".repeat(31)}${index}${number}xy`,
      // One path of the maximum length: index entries hold it beside the filename.
      path: number % 2 ? "/long" : `/${longName(ranges[2], "").slice(-341)}`,
      tags: Array.from(
        { length: 20 },
        (_, tag) => `${tag} ${longName(ranges[1], "").slice(tag, 40)}`,
      ),
      filename: longName(range, ending),
      slug: longName(range, `slug ${ending}`),
      sizeBytes: number,
      createdAt: "2026-01-01T00:00:00Z",
      updatedAt: "2026-01-01T00:00:00Z",
    },
  })),
);

const lines: readonly Line[] = [bucketLine("primary"), ...uploads];
const buckets = readRecords(lines);

describe(`names of ${nameBytesMax} bytes`, () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines });
  });
  after(() => deployment?.close());

  for (const sortOrder of ["asc", "desc"]) {
    for (const size of [1, 3]) {
      it(`are paged through by filename ${sortOrder}, ${size} at a time`, async () => {
        const request = { sortBy: "filename", sortOrder };
        const paging = { deployment, caller: callers.reader, request, pageSize: () => size };
        const ids = (await readAllPages(paging)).map(({ uploadId }) => uploadId);
        const expected = listUploads(buckets, callers.reader, request);
        assert.deepEqual(
          ids,
          expected.map(({ uploadId }) => uploadId),
        );
      });
    }
  }

  for (const request of [
    { path: "/long", recursive: true, sortBy: "filename" },
    { search: longName(ranges[3], "").slice(8, 14), sortBy: "filename", pageSize: 1 },
    { search: "*slug 2.txt", pageSize: 1 },
    { search: `${longName(ranges[1], "").slice(0, 200)}*`, sortBy: "filename", pageSize: 1 },
  ]) {
    it(`are listed by ${JSON.stringify(request).slice(0, 90)}`, () =>
      assertListsLikeModel(deployment, buckets, callers.reader, request));
  }

  it("appear in trees", async () => {
    const request = { includeUploads: true, uploadFilter: { glob: "*\u00e9.txt" } };
    await assertTreeLikeModel(deployment, buckets, callers.reader, { includeUploads: true });
    await assertTreeLikeModel(deployment, buckets, callers.reader, request);
  });

  for (const member of ["filename", "slug"]) {
    it(`cannot be exceeded: an import rejects a ${member} of one byte more`, async () => {
      const fields = { path: "/", filename: "a", sizeBytes: 1 };
      const upload = { ...fields, [member]: `${longName(ranges[1], "")}a` };
      const wrong = [bucketLine("primary"), { upload }];
      const input = wrong.map((line) => `${JSON.stringify(line)}\n`).join("");
      const { exitCode, stdout, stderr } = await runImport(deployment.databaseUrl, input);
      assert.equal(exitCode, 1);
      assert.match(`${stdout}${stderr}`, new RegExp(`upload\\.${member}: .*need at most 1024`));
    });
  }
});
