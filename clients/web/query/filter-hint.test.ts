import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filterHint } from "./filter-hint.ts";

describe("filters in the place of words", () => {
  const hints: [query: string, hint: string | undefined][] = [
    ["> 1 GB", "size:>1GB"],
    [">1gb", "size:>1gb"],
    ["<= 20 MiB sea", "size:<=20MiB sea"],
    ["sea over 1.5 GB", "sea size:>1.5GB"],
    ["videos 2025", "type:video changed:2025"],
    ["beach Photos 2025-03", "beach type:image changed:2025-03"],
    [".pdf in:/a", "ext:pdf in:/a"],
    ["photos videos", "type:image videos"],
    ["type:image videos", undefined],
    ['"old town 2025', undefined],
    ["-videos", undefined],
    ["2025-13", undefined],
    ["> 1", undefined],
    ["1 GB", undefined],
    ["20 25", undefined],
    ["constructor", undefined],
    ["sea", undefined],
    ["", undefined],
  ];
  for (const [query, hint] of hints) {
    it(`are ${hint ?? "none"} for “${query}”`, () => assert.equal(filterHint(query), hint));
  }
});
