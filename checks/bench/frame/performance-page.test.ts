import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { withFigures } from "./performance-page.ts";

const page = `# Page

<!-- bench:one -->

old

<!-- /bench:one -->

Between.

<!-- bench:two -->
<!-- /bench:two -->
`;

it("new figures take the place of the old ones of their benchmark, and of nothing else", () => {
  const written = withFigures(page, "one", "new, costs $1 and $&\n");
  assert.equal(
    written,
    page.replace("old", () => "new, costs $1 and $&"),
  );
  assert.equal(withFigures(written, "one", "old"), page);
});

it("the first figures are written where there were none", () => {
  assert.match(withFigures(page, "two", "2"), /<!-- bench:two -->\n\n2\n\n<!-- \/bench:two -->/);
});

it("figures without a place on the page are an error", () => {
  assert.throws(() => withFigures(page, "three", "3"), /Cannot keep the figures of three/);
});

it("the page of this repository has a place for every benchmark", () => {
  const text = readFileSync(new URL("../../../docs/performance.md", import.meta.url), "utf8");
  const large = ["lists", "search", "trees"].map((name) => `${name}-10000000`);
  for (const benchmark of ["tokens", "key-flood", "lists", "search", "trees", ...large]) {
    withFigures(text, benchmark, "");
  }
});
