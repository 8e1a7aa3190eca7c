import { NIL as anyBucketId } from "uuid";
import type { FaultList } from "./fault-list.ts";
import { readLines, type TextLine } from "./read-lines.ts";
import { readRecord } from "./read-record.ts";
import type { ImportRecord } from "./records.ts";

export interface NdjsonOptions {
  /** The bucket of the lines above the first `bucket` line; undefined: they have none. */
  readonly bucketId: string | undefined;
  /** Go on giving records after a wrong line. */
  readonly skipsWrongLines: boolean;
  /** Takes the wrong lines, with their reasons. */
  readonly faults: FaultList;
  /** Told after every batch. */
  readonly onProgress: (progress: { lines: number; bytes: number }) => void;
}

/** What became of a file's lines, as far as it was read. */
export interface LineTotals {
  /** Lines that are not empty. */
  lines: number;
  /** Lines that are right, but whose bucket nobody knows: the line that says it is wrong. */
  orphans: number;
}

/**
 * The records of an NDJSON stream, in batches; none any more after a wrong line, unless those are
 * to be skipped. All lines are read and checked in any case. Counts into `totals`.
 */
export async function* ndjsonRecords(
  input: AsyncIterable<Buffer>,
  options: NdjsonOptions,
  totals: LineTotals,
): AsyncGenerator<ImportRecord[]> {
  const reader = new LineReader(options, totals);
  let bytes = 0;
  for await (const lines of readLines(counted(input, (count) => (bytes += count)))) {
    yield reader.read(lines);
    options.onProgress({ lines: totals.lines, bytes });
  }
}

async function* counted(input: AsyncIterable<Buffer>, count: (bytes: number) => void) {
  for await (const chunk of input) {
    count(chunk.length);
    yield chunk;
  }
}

class LineReader {
  readonly #options: NdjsonOptions;
  readonly #totals: LineTotals;
  #bucketId: string | undefined;
  /** The last bucket line, or what may have been one, is wrong: no one knows whose lines follow. */
  #bucketIsUnknown = false;

  constructor(options: NdjsonOptions, totals: LineTotals) {
    this.#options = options;
    this.#totals = totals;
    this.#bucketId = options.bucketId;
  }

  read(lines: readonly TextLine[]): ImportRecord[] {
    const { faults, skipsWrongLines } = this.#options;
    const records = [];
    for (const line of lines) {
      const record = isBlank(line.bytes) ? undefined : this.#readLine(line);
      if (record !== undefined && (faults.count === 0 || skipsWrongLines)) records.push(record);
    }
    return records;
  }

  #readLine(line: TextLine): ImportRecord | undefined {
    this.#totals.lines += 1;
    // Any bucket does for checking a line that is left out in the end.
    const bucketId = this.#bucketIsUnknown ? anyBucketId : this.#bucketId;
    const content = readRecord(line, bucketId);
    if ("faults" in content) {
      this.#options.faults.add(`line ${line.number}: ${content.faults.join("; ")}`);
      if (content.mayBeBucket) this.#bucketIsUnknown = true;
      return undefined;
    }
    const { record } = content;
    if (record.kind === "bucket") {
      this.#bucketIsUnknown = false;
      this.#bucketId = record.bucketId;
    } else if (this.#bucketIsUnknown) {
      this.#totals.orphans += 1;
      return undefined;
    }
    return record;
  }
}

const blank = new Set([..." \t\r"].map((character) => character.charCodeAt(0)));

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => blank.has(byte));
}
