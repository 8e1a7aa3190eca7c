/** A reporter of Node's test runner: names the slowest files at the end of a run. */
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

const named = 10;
const slowS = 60;

export default async function* slowestFiles(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const files: { readonly name: string; readonly durationS: number }[] = [];
  for await (const { type, data } of events) {
    // A summary without a file is that of the run.
    if (type !== "test:summary" || data.file === undefined) continue;
    const name = relative(process.cwd(), data.file);
    files.push({ name, durationS: data.duration_ms / 1000 });
  }
  files.sort((one, other) => other.durationS - one.durationS);
  const slow = files.filter(({ durationS }) => durationS > slowS);
  yield `\nThe slowest of ${files.length} files:\n`;
  for (const { name, durationS } of files.slice(0, Math.max(named, slow.length))) {
    const mark = durationS > slowS ? `  longer than ${slowS} s` : "";
    yield `${durationS.toFixed(1).padStart(7)} s  ${name}${mark}\n`;
  }
}
