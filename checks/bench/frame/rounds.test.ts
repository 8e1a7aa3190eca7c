import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inOrderOf, runRounds } from "./rounds.ts";

const contestants = ["a", "b", "c"];
const { signal } = new AbortController();

describe("rounds", () => {
  it("give everyone one turn each, and every place in the order", () => {
    const rounds = Array.from({ length: 6 }, (_, round) => inOrderOf(round, contestants));
    for (const round of rounds) assert.deepEqual(round.toSorted(), contestants);
    for (const place of [0, 1, 2]) {
      const seen = new Set(rounds.map((round) => round[place]));
      assert.deepEqual([...seen].toSorted(), contestants, `place ${place}`);
    }
  });

  it("let nobody always come after the same one", () => {
    const rounds = Array.from({ length: 6 }, (_, round) => inOrderOf(round, contestants));
    for (const contestant of contestants) {
      const before = rounds.map((round) => round[round.indexOf(contestant) - 1]);
      assert.equal(new Set(before.filter((other) => other !== undefined)).size, 2, contestant);
    }
  });

  it("run as often as they must, even when there is no time for it", async () => {
    const turns: string[] = [];
    const options = { seconds: 0, roundsMin: 2, signal };
    await runRounds(contestants, options, async (contestant) => void turns.push(contestant));
    assert.deepEqual(turns, [...inOrderOf(0, contestants), ...inOrderOf(1, contestants)]);
  });

  it("end between two turns when the program is asked to end", async () => {
    const stop = new AbortController();
    const turns: string[] = [];
    const running = runRounds(
      contestants,
      { seconds: 60, roundsMin: 1, signal: stop.signal },
      async (contestant) => {
        turns.push(contestant);
        stop.abort();
      },
    );
    await assert.rejects(running, { name: "AbortError" });
    assert.deepEqual(turns, ["a"]);
  });
});
