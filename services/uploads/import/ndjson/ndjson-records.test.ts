import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ErrorReport } from "../report.ts";
import { type LineTotals, ndjsonRecords } from "./ndjson-records.ts";

const bucketA = "aaaaaaaa-0000-4000-8000-000000000000";
const bucketB = "bbbbbbbb-0000-4000-8000-000000000000";
const lineOf = (bucketId: string) =>
  JSON.stringify({ bucket: { bucketId, hostname: bucketId, organisationId: "org" } });
const folder = '{"folder": {"path": "/f"}}';

async function read(text: string | Buffer, options: { bucketId?: string; skips?: boolean } = {}) {
  const errors = new ErrorReport();
  const totals: LineTotals = { lines: 0, orphans: 0 };
  async function* stream() {
    yield Buffer.from(text);
  }
  const source = {
    bucketId: options.bucketId,
    skipsWrongLines: options.skips ?? false,
    errors,
    onProgress: () => undefined,
  };
  const records = [];
  for await (const batch of ndjsonRecords(stream(), source, totals)) records.push(...batch);
  const folders = records.filter((record) => record.kind === "folder");
  return { folders, records, report: errors.text(), totals };
}

describe("reading NDJSON", () => {
  it("assigns a line to the last bucket line above it, or to the given bucket", async () => {
    const text = [folder, lineOf(bucketB), folder, lineOf(bucketA), folder, folder].join("\n");
    const { folders } = await read(text, { bucketId: bucketB });
    assert.deepEqual(
      folders.map(({ line, bucketId }) => [line, bucketId]),
      [
        [1, bucketB],
        [3, bucketB],
        [5, bucketA],
        [6, bucketA],
      ],
    );
  });

  it("skips empty lines, but includes them in line numbers", async () => {
    const { folders, totals } = await read(`\n \t\r\n${folder}\r\n\n${folder}`, {
      bucketId: bucketA,
    });
    assert.deepEqual(
      folders.map(({ line }) => line),
      [3, 5],
    );
    assert.equal(totals.lines, 2);
  });

  it("returns no records after a wrong line, but reports all wrong lines", async () => {
    const text = [lineOf(bucketA), "x", folder, "{}", folder].join("\n");
    const { folders, report, totals } = await read(text);
    assert.deepEqual(folders, []);
    assert.match(report, /^line 2: Cannot read JSON.*\nline 4: got none of bucket.*\n$/);
    assert.equal(totals.lines, 5);
  });

  it("returns the other lines if wrong ones are skipped", async () => {
    const text = [lineOf(bucketA), "x", folder, "{}", folder].join("\n");
    const { folders } = await read(text, { skips: true });
    assert.deepEqual(
      folders.map(({ line }) => line),
      [3, 5],
    );
  });

  const wrongBuckets = [
    '{"bucket": {"bucketId": "1"}}',
    '{"bucket": {"bucketId": "bbbbbbbb-0000',
    `{"bucket": ${"x".repeat(1024 * 1024)}}`,
    '{"bucket": "\xff"}',
  ];
  for (const wrong of wrongBuckets) {
    it(`assigns no bucket to the lines after ${wrong.slice(0, 40)}`, async () => {
      const lines = [lineOf(bucketA), folder, wrong, folder, "x", folder, lineOf(bucketB), folder];
      const bytes = Buffer.from(lines.join("\n"), "latin1");
      const { folders, totals, report } = await read(bytes, { skips: true });
      assert.deepEqual(
        folders.map(({ line, bucketId }) => [line, bucketId]),
        [
          [2, bucketA],
          [8, bucketB],
        ],
      );
      assert.equal(totals.orphans, 2);
      assert.equal(report.split("\n").length - 1, 2);
    });
  }

  it("lists the first 20 wrong lines without control characters, and counts the rest", async () => {
    const { report } = await read(`${"\u001b[2J\n".repeat(1234)}`);
    const lines = report.trimEnd().split("\n");
    assert.equal(lines.length, 21);
    assert.equal(lines.at(-1), "and 1,214 more");
    assert.ok(!report.includes("\u001b"));
  });
});
