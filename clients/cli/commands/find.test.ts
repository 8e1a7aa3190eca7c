/** What `stowage find` asks of a service, and what it prints. */
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";
import { parseQuery } from "@stowage/api/query/parse-query";
import { FoldersService } from "@stowage/api/stowage/v1/folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { type ListeningServer, listen, startNode } from "@stowage/process/testing";
import { canFindFolders, type Found, queryOf, totalsText } from "./find.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

const detail = { desc: ErrorInfoSchema, value: { domain: "stowage", reason: "FIELD_INVALID" } };
const refusal = new ConnectError("no size", Code.InvalidArgument, undefined, [detail]);

describe("queryOf()", () => {
  const queries: [words: string[], query: string][] = [
    [["report", "2026"], "report 2026"],
    [["annual report"], '"annual report"'],
    [["-annual report"], '-"annual report"'],
    [["tag:to do", "-IN:/my files"], 'tag:"to do" -IN:"/my files"'],
    [["note: x"], '"note: x"'],
    [['"annual report" -draft'], '"annual report" -draft'],
  ];
  for (const [words, query] of queries) {
    it(`makes ${query} of ${JSON.stringify(words)}`, () => assert.equal(queryOf(words), query));
  }
});

describe("canFindFolders()", () => {
  const now = 0n;
  for (const query of ["report", '"a b"', "report in:/docs -draft", "note:x"]) {
    it(`is true for ${query}`, () => assert.ok(canFindFolders(parseQuery(query, now))));
  }
  for (const query of ["type:text", "report type:text", "-draft", "in:/docs", "report -size:big"]) {
    it(`is false for ${query}`, () => assert.ok(!canFindFolders(parseQuery(query, now))));
  }
});

describe("totalsText()", () => {
  const [none, one] = [0, 1].map((count) => ({ count, hasMore: false })) as [Found, Found];
  const many = { count: 10_000n, hasMore: true };
  const texts: [folders: Found | undefined, files: Found, text: string][] = [
    [{ count: 3, hasMore: false }, { count: 1204n, hasMore: false }, "3 folders, 1,204 files"],
    [{ count: 50, hasMore: true }, many, "50+ folders, 10,000+ files"],
    [one, none, "1 folder, 0 files"],
    [none, one, "1 file"],
    [none, none, "nothing found"],
    [undefined, none, "nothing found"],
  ];
  for (const [folders, files, text] of texts) {
    it(`is “${text}”`, () => assert.equal(totalsText(folders, files), text));
  }
});

describe("stowage find", () => {
  let service: ListeningServer;
  /** The queries that the service was asked, with what it was to find. */
  let asked: string[];
  before(async () => {
    const handle = connectNodeAdapter({
      routes({ rpc }) {
        rpc(FoldersService.method.findFolders, ({ query, cursor }) => {
          asked.push(`folders: ${query}`);
          const number = Number(cursor) + 1;
          const folder = { folder: { path: `/folder ${number}` } };
          return { folders: [folder], nextCursor: number < 3 ? `${number}` : "" };
        });
        rpc(BucketUploadsService.method.listUploads, ({ query = "", includeCount }) => {
          asked.push(`files: ${query}`);
          if (query === "size:big") throw refusal;
          const count = (matchCount: bigint) =>
            includeCount ? { matchCount, matchCountIsExact: true } : {};
          if (query === "type:text") return count(0n);
          return { uploads: [{ path: "/", filename: "file" }], ...count(1204n) };
        });
      },
    });
    service = await listen(http.createServer(handle));
  });
  beforeEach(() => {
    asked = [];
  });
  after(() => service.close());

  function find(...parameters: string[]) {
    const env = { BASE_URL: service.url, STOWAGE_TOKEN: "x" };
    return startNode([main, "find", ...parameters], { env }).ended;
  }

  /** The last column of each line. */
  const pathsIn = (stdout: string) => stdout.split("\n").map((line) => line.slice(33));

  it("prints folders, then files", async () => {
    const { stdout, stderr } = await find("report", "in:/docs", "--", "-draft");
    assert.deepEqual(pathsIn(stdout), ["/folder 1/", "/folder 2/", "/folder 3/", "/file", ""]);
    assert.equal(stderr, "3 folders, 1,204 files\n");
    const query = "report in:/docs -draft";
    assert.deepEqual(new Set(asked), new Set([`folders: ${query}`, `files: ${query}`]));
  });

  it("prints both as lines of JSON", async () => {
    const { stdout, stderr } = await find("report", "--json");
    assert.equal(stderr, "");
    const found = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const names = found.map(({ folder, filename }) => folder?.path ?? filename);
    assert.deepEqual(names, ["/folder 1", "/folder 2", "/folder 3", "file"]);
  });

  it("prints as many folders as asked for, and as many files", async () => {
    const { stdout, stderr } = await find("report", "--limit", "1");
    assert.deepEqual(pathsIn(stdout), ["/folder 1/", "/file", ""]);
    assert.equal(
      stderr,
      "the first 1 folder; --all or a higher --limit lists more\n1+ folders, 1,204 files\n",
    );
  });

  it("looks for files alone with another filter, and says that it found nothing", async () => {
    const { exitCode, stdout, stderr } = await find("type:text");
    assert.deepEqual([exitCode, stdout, stderr], [0, "", "nothing found\n"]);
    assert.deepEqual(asked, ["files: type:text"]);
  });

  for (const [what, query, said] of [
    ["a filter with a wrong value", "size:big", "Cannot find files: no size (FIELD_INVALID)"],
    ["no word at all", "", "Cannot find files: the query is empty; need a word or a filter"],
  ] as const) {
    it(`refuses ${what} with exit code 2`, async () => {
      const { exitCode, stdout, stderr } = await find(query);
      assert.deepEqual([exitCode, stdout, stderr], [2, "", `stowage: ${said}\n`]);
    });
  }
});
