/** Shows the progress of an import or a run: a bar on a terminal, lines of text elsewhere. */
import cliProgress from "cli-progress";
import { formatBytes, formatThings } from "../model/format.ts";

/** A part of the work. */
interface Step {
  /** `reading`, `writing`. */
  readonly name: string;
  /** What is counted: `line`, `object`. */
  readonly thing: string;
  /** How many things there are. Undefined if it is unknown. */
  readonly total?: number | undefined;
  /** How many bytes there are, if that is known instead. Undefined for a pipe. */
  readonly bytesTotal?: number | undefined;
}

export interface Progress {
  /** Begins the next step, at `count` things. */
  begin(step: Step, count?: number): void;
  /** @param bytes of the things, or of `bytesTotal`. */
  update(count: number, bytes?: number): void;
  /** Names the step that starts now, if its progress cannot be counted. */
  say(text: string): void;
  /** Removes the bar. May be called again. */
  stop(): void;
}

/** The first step reads things. */
export type FirstStep = Pick<Step, "thing" | "bytesTotal">;

/** The rates count time from here on, so open the database and other slow things before. */
export function createProgress(output: NodeJS.WriteStream, step: FirstStep): Progress {
  const first = new StepMeter({ name: "reading", ...step }, 0);
  return output.isTTY ? progressBar(output, first) : progressLines(output, first);
}

/** Shows how many new uploads are written, and that more is done after the last one. */
export function showWriting(progress: Progress): (uploads: number, all: number) => void {
  let hasBegun = false;
  return (uploads, all) => {
    if (!hasBegun) progress.begin({ name: "writing", thing: "new upload", total: all });
    hasBegun = true;
    progress.update(uploads);
    if (uploads === all) progress.say("updating searches, folders and totals");
  };
}

function progressBar(output: NodeJS.WriteStream, first: StepMeter): Progress {
  let meter = first;
  const bar = new cliProgress.SingleBar(
    {
      stream: output,
      hideCursor: true,
      clearOnComplete: true,
      barsize: 24,
      // The program handles Ctrl-C.
      gracefulExit: false,
      format: (options, { progress }, { text, isCounted }) =>
        isCounted ? `${cliProgress.Format.BarFormat(progress, options)} ${text}` : text,
    },
    cliProgress.Presets.shades_classic,
  );
  const show = (share: number | undefined, text: string) =>
    bar.update(share ?? 0, { text, isCounted: share !== undefined });
  bar.start(1, 0, { text: meter.text(), isCounted: false });
  return {
    begin(step, count = 0) {
      meter = new StepMeter(step, count);
      show(meter.share(), meter.text());
    },
    update(count, bytes) {
      meter.update(count, bytes);
      show(meter.share(), meter.text());
    },
    say: (text) => show(undefined, text),
    stop: () => bar.stop(),
  };
}

/** A line is printed after this number of things or this time, whichever comes first. */
const countBetweenLines = 50_000;
const timeBetweenLinesMs = 5000;

function progressLines(output: NodeJS.WriteStream, first: StepMeter): Progress {
  let meter = first;
  let saidAtMs = performance.now();
  let saidCount = 0;
  let hasSaid = false;
  const write = (text: string) => {
    hasSaid = true;
    saidAtMs = performance.now();
    output.write(`${text}\n`);
  };
  return {
    begin(step, count = 0) {
      meter = new StepMeter(step, count);
      saidCount = count;
    },
    update(count, bytes) {
      meter.update(count, bytes);
      const isDue = performance.now() - saidAtMs >= timeBetweenLinesMs && count > saidCount;
      if (!isDue && count - saidCount < countBetweenLines) return;
      saidCount = count;
      write(meter.text());
    },
    // A short import prints only the summary.
    say: (text) => void (hasSaid && write(text)),
    stop: () => undefined,
  };
}

/** The numbers of one step: share, rate, time left. */
class StepMeter {
  readonly #step: Step;
  readonly #beganAtMs = performance.now();
  readonly #beganWith: number;
  #count: number;
  #bytes: number | undefined;

  constructor(step: Step, count: number) {
    this.#step = step;
    this.#beganWith = count;
    this.#count = count;
  }

  update(count: number, bytes: number | undefined): void {
    this.#count = count;
    this.#bytes = bytes;
  }

  /** From 0 to 1; undefined if the total is unknown. */
  share(): number | undefined {
    const { total, bytesTotal } = this.#step;
    if (total !== undefined) return total === 0 ? 1 : Math.min(1, this.#count / total);
    return bytesTotal ? Math.min(1, (this.#bytes ?? 0) / bytesTotal) : undefined;
  }

  /** `writing 45,000 of 100,000 objects | 12,000/s | 5 s left` */
  text(): string {
    const { name, thing, total } = this.#step;
    const of = total === undefined ? "" : `${this.#count.toLocaleString("en-GB")} of `;
    const share = this.share();
    const percentage = share === undefined ? "" : ` (${Math.floor(share * 100)}%)`;
    const parts = [`${name} ${of}${formatThings(total ?? this.#count, thing)}${percentage}`];
    const seconds = (performance.now() - this.#beganAtMs) / 1000;
    const done = this.#count - this.#beganWith;
    if (seconds >= 1 && done > 0) {
      parts.push(`${Math.round(done / seconds).toLocaleString("en-GB")}/s`);
    }
    if (this.#bytes !== undefined) parts.push(formatBytes(this.#bytes));
    if (share && seconds >= 1) parts.push(`${Math.ceil((seconds * (1 - share)) / share)} s left`);
    return parts.join(" | ");
  }
}
