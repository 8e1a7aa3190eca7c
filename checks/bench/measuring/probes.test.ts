import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Figure, figuresTable, type Goal, measureProbes, type Probe } from "./probes.ts";

const { signal } = new AbortController();
const names = { baseline: "old", subject: "new" };
const figure = (goal?: Goal): Figure => ({ title: "list", unit: "ms", ...(goal && { goal }) });

function probe(turns: string[], name: string): Probe {
  const measure = (side: string) => async () => {
    turns.push(`${name} ${side}`);
    return [turns.length];
  };
  return { figures: [figure()], baseline: measure("old"), subject: measure("new") };
}

describe("probes", () => {
  it("measure both sides in turns, each first as often as second, after a warm-up", async () => {
    const turns: string[] = [];
    const probes = ["a", "b"].map((name) => probe(turns, name));
    const [first] = await measureProbes(probes, { seconds: 0, roundsMin: 2, signal });
    const even = ["a old", "a new", "b new", "b old"];
    const odd = ["a new", "a old", "b old", "b new"];
    assert.deepEqual(turns, [...even, ...odd, ...even]);
    assert.deepEqual(
      [first?.baseline, first?.subject],
      [
        [6, 9],
        [5, 10],
      ],
    );
  });

  it("end between two turns when the program is asked to end", async () => {
    const stop = new AbortController();
    const turns: string[] = [];
    const stopping: Probe = {
      figures: [figure()],
      async subject() {
        stop.abort();
        return [1];
      },
    };
    const options = { seconds: 60, roundsMin: 1, signal: stop.signal };
    const running = measureProbes([stopping, probe(turns, "never")], options);
    await assert.rejects(running, { name: "AbortError" });
    assert.deepEqual(turns, []);
  });
});

describe("the table of figures", () => {
  const row = { ...figure(), baseline: [10, 20, 10], subject: [10, 30, 9] };

  it("gives medians, and the median of the ratios with the lowest and the highest", () => {
    const table = figuresTable([{ ...row, goal: { ratioMax: 1.03 } }], names);
    const line =
      /^\| list +\| ms +\| 10\.0 \| 10\.0 \| 1\.00 \(0\.900–1\.50\) \| .*≤ 1\.03 \| pass \|/m;
    assert.match(table, line);
  });

  it("judges ratios and values by their goals", () => {
    const goals: Goal[] = [{ ratioMin: 1.01 }, { ratioMax: 1 }, { valueMax: 9.9 }];
    const table = figuresTable(
      goals.map((goal) => ({ ...row, goal })),
      names,
    );
    assert.deepEqual([...table.matchAll(/pass|MISS/g)].join(), "MISS,pass,MISS");
    assert.match(table, /Goals missed: 2\./);
  });

  it("judges a count that must be none by every round of both sides", () => {
    const count = { ...row, unit: "count", goal: { none: true } } as const;
    const [zeros, once] = [
      [0, 0, 0],
      [0, 0, 1],
    ];
    const verdictOf = (sides: Pick<typeof row, "baseline" | "subject">) =>
      /pass|MISS/.exec(figuresTable([{ ...count, ...sides }], names))?.[0];
    assert.equal(verdictOf({ baseline: zeros, subject: zeros }), "pass");
    assert.equal(verdictOf({ baseline: once, subject: zeros }), "MISS");
    assert.equal(verdictOf({ baseline: zeros, subject: once }), "MISS");
  });

  it("has no ratio without a baseline, and no verdict without a goal", () => {
    const table = figuresTable([{ ...row, baseline: [] }], names);
    assert.match(table, /^\| list +\| ms +\| +\| 10\.0 \| +\| +\| +\|/m);
  });
});
