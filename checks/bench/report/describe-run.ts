/** Under which conditions figures were taken, so that they can be judged and taken again. */
import { availableParallelism, cpus, release, type } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { threeDigits } from "./tables.ts";

/** A paragraph of Markdown. To be called before the measuring, which is a load itself. */
export async function describeRun(command: string): Promise<string> {
  const date = new Date().toISOString().slice(0, 10);
  const { node, openssl } = process.versions;
  const processors = cpus();
  const machine = [
    `${processors.length} × ${processors[0]?.model ?? "unknown processor"}`,
    `${availableParallelism()} of them for this process`,
    `${type()} ${release()}`,
    `Node ${node}`,
    `OpenSSL ${openssl}`,
  ];
  const load = await measureLoad();
  return `\`${command}\` on ${date}: ${machine.join(", ")}. ${describeLoad(load)}`;
}

const lookMs = 1000;

/** How many processors are busy while this process does nothing. */
async function measureLoad(): Promise<number> {
  const before = busyMs();
  const startMs = performance.now();
  await sleep(lookMs);
  return (busyMs() - before) / (performance.now() - startMs);
}

function busyMs(): number {
  return cpus().reduce(
    (sum, { times }) => sum + times.user + times.nice + times.sys + times.irq,
    0,
  );
}

/** What an otherwise idle machine does by itself. */
const quietLoadMax = 0.1;

function describeLoad(load: number): string {
  const judgement = load <= quietLoadMax ? "" : ": **not a quiet machine**";
  return `Before the run ${threeDigits(load)} processors were busy${judgement}.`;
}
