import assert from "node:assert/strict";
import { it } from "node:test";
import { BufferPool } from "../calls/buffer-pool.ts";
import { pageAnswer } from "./list-uploads.ts";

const uploads = [{ filename: "a" }, { filename: "ä😀" }, {}];

for (let count = 0; count <= uploads.length; count++) {
  it(`writes a page of ${count} uploads`, () => {
    const page = uploads.slice(0, count);
    const documents = Buffer.from(page.map((upload) => JSON.stringify(upload)).join(","));
    assert.equal(
      pageAnswer(new BufferPool(), documents, "next").json.toString(),
      JSON.stringify({ uploads: page, nextCursor: "next" }),
    );
  });
}
