import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseEncoding } from "./accept-encoding.ts";

const choices: readonly [acceptEncoding: string | undefined, name: string | undefined][] = [
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["deflate, zstd", undefined],
  ["gzip", "gzip"],
  ["GZip", "gzip"],
  ["gzip;Q=0.001", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["br;q=0.1, gzip;q=1.0", "gzip"],
  ["br;q=0.5, gzip;q=0.5", "br"],
  ["br;q=0, gzip", "gzip"],
  ["br; q=0.000 ,gzip", "gzip"],
  ["gzip;q=0", undefined],
  ["gzip;q=high", undefined],
  ["gzip;q=2", undefined],
  ["*", "br"],
  ["*;q=0", undefined],
  ["br;q=0, *", "gzip"],
  ["*;q=0.1, gzip;q=0.2", "gzip"],
  ["identity, gzip", "gzip"],
  ["identity, gzip;q=0.9", undefined],
  ["identity;q=0.5, gzip;q=0.9", "gzip"],
  ["identity;q=0, br;q=0.1", "br"],
];

describe("chooseEncoding()", () => {
  for (const [acceptEncoding, name] of choices) {
    it(`chooses ${name ?? "none"} for ${JSON.stringify(acceptEncoding)}`, () => {
      assert.equal(chooseEncoding(acceptEncoding, [{ name: "br" }, { name: "gzip" }])?.name, name);
    });
  }
});
