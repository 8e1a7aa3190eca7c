import { NIL as anyBucketId } from "uuid";
import type { ImportRecord } from "../records/record.ts";
import type { ErrorReport } from "../report.ts";
import { readLines, type TextLine } from "./read-lines.ts";
import { LineError, readRecord } from "./read-record.ts";

interface NdjsonOptions {
  /** The bucket of the lines above the first `bucket` line; undefined if they have none. */
  readonly bucketId: string | undefined;
  /** Whether records follow after a wrong line. */
  readonly skipsWrongLines: boolean;
  /** Collects the wrong lines with their reasons. */
  readonly errors: ErrorReport;
  /** Called after every batch. */
  readonly onProgress: (progress: { lines: number; bytes: number }) => void;
}

/** The lines read so far. */
export interface LineTotals {
  /** Lines that are not empty. */
  lines: number;
  /** Correct lines that are left out since the bucket line above them is wrong. */
  orphans: number;
}

/**
 * The records of an NDJSON stream, in batches. After a wrong line there are no more records, unless
 * wrong lines are skipped; but all lines are read and checked. Updates `totals`.
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
  /** The last bucket line, or a line that may have been one, is wrong. */
  #bucketIsUnknown = false;

  constructor(options: NdjsonOptions, totals: LineTotals) {
    this.#options = options;
    this.#totals = totals;
    this.#bucketId = options.bucketId;
  }

  read(lines: readonly TextLine[]): ImportRecord[] {
    const { errors, skipsWrongLines } = this.#options;
    const records = [];
    for (const line of lines) {
      const record = isBlank(line.bytes) ? undefined : this.#readLine(line);
      if (record !== undefined && (errors.count === 0 || skipsWrongLines)) records.push(record);
    }
    return records;
  }

  #readLine(line: TextLine): ImportRecord | undefined {
    this.#totals.lines += 1;
    try {
      // A line that is left out is still checked, as if it were in any bucket.
      const record = readRecord(line, this.#bucketIsUnknown ? anyBucketId : this.#bucketId);
      return this.#inBucket(record);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      this.#options.errors.add(`line ${line.number}: ${error.message}`);
      if (error.mayBeBucket) this.#bucketIsUnknown = true;
      return undefined;
    }
  }

  #inBucket(record: ImportRecord): ImportRecord | undefined {
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
