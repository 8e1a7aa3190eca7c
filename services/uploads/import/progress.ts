/** Shows the progress of an import: a bar on a terminal, lines of text elsewhere. */
import cliProgress from "cli-progress";
import { formatThings } from "./report.ts";

export interface Progress {
  /** @param bytes how many of `bytesTotal` were read. */
  update(count: number, bytes?: number): void;
  /** Names the step that starts now, if its progress cannot be counted. */
  say(text: string): void;
  /** Removes the bar. May be called again. */
  stop(): void;
}

interface ProgressOptions {
  readonly output: NodeJS.WriteStream;
  /** What is counted: `line`, `file`. */
  readonly thing: string;
  /** Undefined if it is unknown, as for a pipe. */
  readonly bytesTotal: number | undefined;
}

export function createProgress(options: ProgressOptions): Progress {
  return options.output.isTTY ? progressBar(options) : progressLines(options);
}

function progressBar({ output, thing, bytesTotal }: ProgressOptions): Progress {
  const bar = new cliProgress.SingleBar(
    {
      stream: output,
      hideCursor: true,
      clearOnComplete: true,
      // The program handles Ctrl-C.
      gracefulExit: false,
      format: bytesTotal ? `{bar} {percentage}% | {count}` : `{count}`,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(bytesTotal || 1, 0, { count: formatThings(0, thing) });
  return {
    update: (count, bytes = 0) => bar.update(bytes, { count: formatThings(count, thing) }),
    say: (text) => bar.update({ count: text }),
    stop: () => bar.stop(),
  };
}

/** A line is printed after this number of things or this time, whichever comes first. */
const countBetweenLines = 50_000;
const timeBetweenLinesMs = 10_000;

function progressLines({ output, thing, bytesTotal }: ProgressOptions): Progress {
  let saidCount = 0;
  let saidAtMs = performance.now();
  return {
    update(count, bytes) {
      const nowMs = performance.now();
      const isDue = nowMs - saidAtMs >= timeBetweenLinesMs && count > saidCount;
      if (!isDue && count - saidCount < countBetweenLines) return;
      saidCount = count;
      saidAtMs = nowMs;
      const share =
        bytesTotal && bytes !== undefined ? ` (${Math.floor((100 * bytes) / bytesTotal)}%)` : "";
      output.write(`read ${formatThings(count, thing)}${share}\n`);
    },
    // A short import prints only the summary.
    say: (text) => void (saidCount > 0 && output.write(`${text}\n`)),
    stop: () => undefined,
  };
}
