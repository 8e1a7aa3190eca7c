/**
 * A run of a source, from the lease to its end:
 *
 *   list      list-source.ts    the keys, range by range, into the listing of the run
 *     → compare  compare.ts        the listing with the index; the guard may stop the run
 *     → merge    merge-changes.ts  the changes, some thousands in a transaction
 *
 * After an interruption, the next run begins anew: what is merged already is no difference then.
 */
import { errorText, inTransaction, untilAborted } from "@stowage/process";
import type pg from "pg";
import type { OpenedSource } from "../open-source.ts";
import { StoreError } from "../s3/store-error.ts";
import { locationText, type Source } from "../source.ts";
import { compare } from "./compare.ts";
import { endRun, failRun, type RunEnd, recordSourceFailure } from "./end-run.ts";
import { endEarlierHolder, type HeldSource, holdSource } from "./hold-source.ts";
import { listSource } from "./list-source.ts";
import { mergeChanges } from "./merge-changes.ts";
import { openRun, type Phase, type Run, readRun, updateRun } from "./run.ts";

export interface RunOptions {
  /** With at least two connections: one writes, the other renews the lease. */
  readonly pool: pg.Pool;
  readonly openSource: (source: Source) => Promise<OpenedSource>;
  /** The address of an Inventory report, if `openSource` opens one. */
  readonly inventory?: string | undefined;
  readonly isDryRun: boolean;
  /** Whether everything that is gone may be deleted. */
  readonly isConfirmed: boolean;
  readonly leaseMs: number;
  /** Whether to wait for the lease of a process that seems dead. */
  readonly waitsForLease: boolean;
  /** Changes that are merged in one transaction. Default 5000. */
  readonly changesAtOnce?: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: RunProgress) => void;
  /** Called when it is recorded that the run failed. Otherwise, one that throws was interrupted. */
  readonly onFailed?: () => void;
}

export interface RunProgress {
  readonly phase: Phase;
  /** Objects listed, or changes merged, in this run. */
  readonly done: number;
  readonly sizeBytes: number;
  /** Undefined while it is unknown. */
  readonly total: number | undefined;
}

/**
 * Runs the source. Returns how the run ended, which may be that the
 * guard stopped it. Throws `SourceBusyError` if another process runs the source, and whatever made
 * the run fail; that is stored first, unless the database itself failed or the signal aborted.
 */
export async function runSource(name: string, options: RunOptions): Promise<RunEnd> {
  return await holdSource(options.pool, name, options, (held) =>
    runHeld(held, { ...options, signal: held.signal }),
  );
}

async function runHeld(
  { client, source, holder }: HeldSource,
  options: RunOptions,
): Promise<RunEnd> {
  const open = () => untilAborted(options.openSource(source), options.signal);
  // Opened first: an address without a report is a fault of the command, not of the source.
  const report = options.inventory === undefined ? undefined : await open();
  const opening = { ...options, holder };
  const begin = async () => {
    await endEarlierHolder(client, source);
    return await openRun(client, source, opening);
  };
  const run = await begin().catch(async (error) => {
    if (options.signal.aborted) throw error;
    if (await recordSourceFailure(client, source, opening, error)) options.onFailed?.();
    throw error;
  });
  try {
    const stopped = await listAndCompare(client, run, source, { ...options, report, open });
    if (stopped !== undefined) return stopped;
    const skipIndexError = run.isDryRun
      ? undefined
      : await merge(client, await readRun(client, run), source, options);
    const merged = await readRun(client, run);
    const { madeAt } = report ?? {};
    const end = await inTransaction(client, () => endRun(client, merged, source, { madeAt }));
    return skipIndexError === undefined
      ? end
      : { ...end, skipIndexError: errorText(skipIndexError) };
  } catch (cause) {
    const error =
      cause instanceof StoreError
        ? new Error(`Cannot list ${locationText(source.location)}: ${cause.message}`)
        : cause;
    if (options.signal.aborted) throw error;
    if (await failRun(client, run, source, error)) options.onFailed?.();
    throw error;
  }
}

async function listAndCompare(
  client: pg.ClientBase,
  run: Run,
  source: Source,
  options: RunOptions & {
    /** The Inventory report, if one is read in place of the source. */
    readonly report: OpenedSource | undefined;
    readonly open: () => Promise<OpenedSource>;
  },
): Promise<RunEnd | undefined> {
  const { report, open, signal, onProgress } = options;
  let objects = 0;
  let sizeBytes = 0;
  const tell = (phase: Phase) => onProgress({ phase, done: objects, sizeBytes, total: undefined });
  tell("list");
  const opened = report ?? (await open());
  const onListed = (more: number, moreBytes: number) => {
    objects += more;
    sizeBytes += moreBytes;
    tell("list");
  };
  await listSource(client, { run, ...opened, knownKeys: source.knownKeys, signal, onListed });
  await updateRun(client, run, "phase = 'compare'");
  tell("compare");
  return await compare(client, run, source, { ...options, madeAt: opened.madeAt });
}

async function merge(
  client: pg.ClientBase,
  run: Run,
  source: Source,
  { changesAtOnce, signal, onProgress }: RunOptions,
): Promise<unknown> {
  const { changes, sizeBytes } = run.counts;
  const onMerged = (done: number) =>
    onProgress({ phase: "merge", done, sizeBytes, total: changes });
  onMerged(0);
  return await mergeChanges(client, run, { source, changesAtOnce, signal, onMerged });
}
