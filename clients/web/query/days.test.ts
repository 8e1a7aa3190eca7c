import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { daysOf, isDay, withDays } from "./days.ts";

describe("the days of a time filter", () => {
  const shown: [query: string, first: string, last: string][] = [
    ["", "", ""],
    ["sea changed:2026", "", ""],
    ["created:2026-03-02", "2026-03-02", "2026-03-02"],
    ["created:2026-02", "2026-02-01", "2026-02-28"],
    ["created:>2026-02", "2026-03-01", ""],
    ["created:<2026-02", "", "2026-01-31"],
    ["created:>=2026 created:<=2026-03-05", "2026-01-01", "2026-03-05"],
    ["created:2025,2027", "2025-01-01", "2027-12-31"],
    ["-created:2026", "", ""],
    ["created:soon", "", ""],
    ["created:1960-02", "1960-02-01", "1960-02-29"],
    ["created:<0001", "", ""],
  ];
  for (const [query, first, last] of shown) {
    it(`are ${first} to ${last} in “${query}”`, () => {
      assert.deepEqual(daysOf(query, "created"), { first, last });
    });
  }

  it("begin with the day on which an age begins", () => {
    const day = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
    assert.equal(daysOf("changed:<30d", "changed").first, day);
  });

  it("are written to the query", () => {
    const write = (first: string, last: string) => withDays("sea", "changed", { first, last });
    assert.equal(write("2026-03-02", "2026-03-05"), "sea changed:2026-03-02..2026-03-05");
    assert.equal(write("2026-03-02", "2026-03-02"), "sea changed:2026-03-02");
    assert.equal(write("2026-03-02", ""), "sea changed:>=2026-03-02");
    assert.equal(write("", "2026-03-02"), "sea changed:<=2026-03-02");
    assert.equal(write("", ""), "sea");
    for (const [first, last] of [
      ["2026-03-02", ""],
      ["", "2026-03-02"],
      ["2025-01-31", "2026-03-02"],
    ] as const) {
      assert.deepEqual(daysOf(write(first, last), "changed"), { first, last });
    }
  });

  it("are of the years 1 to 9999", () => {
    for (const day of ["0001-01-01", "2024-02-29", "9999-12-31"]) assert.ok(isDay(day), day);
    for (const day of ["0000-01-01", "2026-02-29", "20265-03-03", "2026-3-3"]) {
      assert.ok(!isDay(day), day);
    }
  });
});
