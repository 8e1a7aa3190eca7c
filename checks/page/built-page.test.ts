/** The size of what the first visit loads, and the number of libraries that the page is made of. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compressedFiles, dependenciesOf, firstLoad } from "./size/first-load.ts";

const scriptBytesMax = 150 * 1024;
const dependenciesMax = 10;

describe("the built page", () => {
  it("loads at most 150 KB of compressed script at first", async (t) => {
    const { scripts, gzipBytes } = await firstLoad();
    const files = scripts.length === 1 ? "1 file" : `${scripts.length} files`;
    t.diagnostic(`first load: ${kilobytes(gzipBytes)} gzip of script in ${files}; at most 150 KB`);
    assert.ok(gzipBytes > 10_000, "the scripts of index.html were not found");
    assert.ok(gzipBytes <= scriptBytesMax, `${gzipBytes} bytes: ${scripts.join(" ")}`);
  });

  it("has the same content in its compressed files", async () => {
    const files = await compressedFiles();
    assert.ok(files.length > 0, "nothing is compressed");
    for (const { path, content, unpacked } of files) assert.ok(unpacked.equals(content), path);
  });

  it("is made of at most ten libraries", async (t) => {
    const names = await dependenciesOf();
    t.diagnostic(`${names.length} direct dependencies; at most ten`);
    assert.ok(names.length <= dependenciesMax, names.join(" "));
  });
});

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
