import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { runPage, summaryOf, withFigures, wrapped } from "./performance-page.ts";

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

it("the summary of a run tells how it was made and which goals it met", () => {
  const figures = "`run` on a day.\n\nData.\n\n**Goals**\n\n| goal |\n| --- |\n| met |";
  assert.equal(summaryOf(figures), "`run` on a day.\n\n**Goals**\n\n| goal |\n| --- |\n| met |");
});

it("the summary of a run without goals is all of it", () => {
  assert.equal(summaryOf("How.\n\n**Table**"), "How.\n\n**Table**");
});

it("the summary of a long table is its first rows and those that miss their goal", () => {
  const row = (index: number) => `| ${index} | ${index === 15 ? "MISS" : "pass"} |`;
  const table = ["| a | b |", "| --- | --- |", ...Array.from({ length: 21 }, (_, i) => row(i))];
  const summary = summaryOf(`How.\n\n${table.join("\n")}\n\n3 rounds.`);
  const kept = [...table.slice(0, 8), row(15)].join("\n");
  assert.equal(summary, `How.\n\n${kept}\n\nAnd 14 rows without a miss.\n\n3 rounds.`);
});

it("kept figures have lines of at most 100 columns, tables aside", () => {
  const words = "word ".repeat(40).trim();
  const table = `| ${words} |`;
  assert.equal(wrapped(table), table);
  const lines = wrapped(words).split("\n");
  assert.deepEqual(
    lines.map((line) => line.length),
    [99, 99],
  );
  assert.equal(lines.join(" "), words);
  assert.match(runPage("one", words), /^# Last run of one\n\n/);
});

it("the page of this repository has a place for every benchmark", () => {
  const path = "../../../docs/performance/figures.md";
  const text = readFileSync(new URL(path, import.meta.url), "utf8");
  const large = ["lists", "search", "trees"].flatMap((name) => [
    `${name}-10000000`,
    `${name}-against`,
  ]);
  const small = ["tokens", "key-flood", "issuing", "lists", "search", "trees", "neighbours"];
  for (const benchmark of [...small, "import", "page", ...large]) {
    withFigures(text, benchmark, "");
  }
});
