import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseEncoding } from "./stream-encodings.ts";

const choices: readonly [acceptEncoding: string | undefined, name: string | undefined][] = [
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["deflate, zstd", undefined],
  ["gzip", "gzip"],
  ["GZip", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["br;q=0.1, gzip;q=1.0", "br"],
  ["br;q=0, gzip", "gzip"],
  ["br; q=0.000 ,gzip", "gzip"],
  ["gzip;q=0", undefined],
  ["*", undefined],
];

describe("chooseEncoding()", () => {
  for (const [acceptEncoding, name] of choices) {
    it(`takes ${name ?? "none"} for ${JSON.stringify(acceptEncoding)}`, () => {
      assert.equal(chooseEncoding(acceptEncoding)?.name, name);
    });
  }
});
