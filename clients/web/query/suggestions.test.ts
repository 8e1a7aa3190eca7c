import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { calendarValues } from "./suggested-values.ts";
import { suggestionsAt } from "./suggestions.ts";

/** The texts with the first suggestions chosen; `|` is the caret. */
function completed(marked: string, isAsked = false): readonly string[] {
  const caret = marked.indexOf("|");
  const query = marked.replace("|", "");
  const { start, items } = suggestionsAt(query, caret, isAsked);
  return items.map(({ text }) => query.slice(0, start) + text + query.slice(caret));
}

describe("suggestions for a query", () => {
  const cases: [typed: string, completed: readonly string[]][] = [
    ["t|", ["type:", "tag:"]],
    ["sea -T|", ["sea -type:", "sea -tag:"]],
    ["sea c| sky", ["sea created: sky", "sea changed: sky"]],
    ["type:|", ["image", "video", "audio", "document", "archive", "text", "other"].map(typeOf)],
    ["type:a|", ["type:audio ", "type:archive "]],
    ["type:image,V|", ["type:image,video "]],
    ["type:image|", []],
    ["-type:im|", ["-type:image "]],
    ["size:>100|", ["size:>100MB "]],
    ["tag:|", []],
    ["sea|", []],
    ["ty|pe", []],
    ['"t|', []],
    ["|", []],
    ["sea |", []],
  ];
  for (const [typed, texts] of cases) {
    it(`are ${texts.length} at “${typed}”`, () => assert.deepEqual(completed(typed), texts));
  }

  it("are times of several forms", () => {
    const times = completed("changed:|").map((text) => text.slice("changed:".length).trim());
    for (const time of ["<30d", ">2y", `${new Date().getUTCFullYear() - 1}`]) {
      assert.ok(times.includes(time), time);
    }
  });

  it("are all filters where nothing has been typed, if they are asked for", () => {
    assert.equal(completed("|", true).length, 7);
    assert.equal(completed("sea |", true)[0], "sea ext:");
    assert.deepEqual(completed("sea|", true), []);
  });
});

it("has last month and last year as they are written", () => {
  const values = (now: string) => calendarValues(new Date(now)).map(({ value }) => value);
  assert.deepEqual(values("2026-01-31T23:00:00Z"), ["2025-12", "2025"]);
  assert.deepEqual(values("2026-11-29T00:00:00Z"), ["2026-10", "2025"]);
});

function typeOf(name: string): string {
  return `type:${name} `;
}
