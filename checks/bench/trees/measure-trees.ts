/** Whole trees beside COPY, in turns: how long they take, and how the service's memory grows. */
import { runRounds } from "../frame/rounds.ts";
import { ratiosOf, type Spread, spreadOf } from "../frame/statistics.ts";
import { ForkedProgram } from "../programs/forked-program.ts";
import { forgetPeak, readMemory } from "../programs/process-memory.ts";
import { treeRequest } from "../stage/call-service.ts";
import type { DataBenchmarkRun } from "../stage/data-benchmark.ts";
import type { CopyOrder, CopyReport } from "../yardsticks/copy-drain.ts";
import type { TreeKind } from "./tree-kinds.ts";

export interface TreeRow {
  readonly kind: TreeKind;
  readonly runs: number;
  readonly tookMs: Spread;
  readonly firstByteMs: Spread;
  readonly bytes: number;
  /** The most of all runs, beyond what was in use before the first. */
  readonly grownBytes: number;
  readonly copyTookMs: Spread;
  readonly copyFirstByteMs: Spread;
  readonly copyBytes: number;
  /** How much longer the tree takes than the COPY. */
  readonly timeOfCopy: Spread;
}

/** @param residentBytes what the service had in use before the first tree of all. */
export async function measureTree(
  { stage, seconds, signal }: DataBenchmarkRun,
  kind: TreeKind,
  options: { readonly residentBytes: number; readonly roundsMin: number },
): Promise<TreeRow> {
  const { databaseUrl, places, service } = stage;
  await using copier = new ForkedProgram<CopyOrder, CopyReport>(
    new URL("../yardsticks/copy-drain.ts", import.meta.url),
  );
  const trees: (CopyReport & { readonly peakBytes: number })[] = [];
  const copies: CopyReport[] = [];
  const contestants = {
    async tree() {
      await forgetPeak(service.processId);
      const requests = [treeRequest(stage, kind.body)];
      const report = await stage.load.obey({ kind: "each", port: service.port, requests });
      const { peakBytes } = await readMemory(service.processId);
      const [tookMs = 0] = report.latenciesMs;
      const [firstByteMs = 0] = report.firstByteMs;
      trees.push({ tookMs, firstByteMs, bytes: report.bodyBytes, peakBytes });
    },
    async copy() {
      copies.push(await copier.obey({ databaseUrl, queries: kind.queries(places) }));
    },
  };
  const { roundsMin, residentBytes } = options;
  await runRounds(Object.values(contestants), { seconds, roundsMin, signal }, (turn) => turn());
  const took = (reports: readonly CopyReport[]) => reports.map(({ tookMs }) => tookMs);
  const firstByte = (reports: readonly CopyReport[]) =>
    reports.map(({ firstByteMs }) => firstByteMs);
  return {
    kind,
    runs: trees.length,
    tookMs: spreadOf(took(trees)),
    firstByteMs: spreadOf(firstByte(trees)),
    bytes: trees[0]!.bytes,
    grownBytes: Math.max(...trees.map(({ peakBytes }) => peakBytes)) - residentBytes,
    copyTookMs: spreadOf(took(copies)),
    copyFirstByteMs: spreadOf(firstByte(copies)),
    copyBytes: copies[0]!.bytes,
    timeOfCopy: spreadOf(ratiosOf(took(trees), took(copies))),
  };
}
