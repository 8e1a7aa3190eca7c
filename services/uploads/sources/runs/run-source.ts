/**
 * A run of a source, from the lease to its end:
 *
 *   list, write  write-batches.ts  lists range by range, writes what differs batch by batch
 *     → find     seen.ts           finds what was not listed
 *     → prove    prove-gone.ts     asks the place for each of these
 *     → delete   delete-gone.ts    deletes what is proved, some thousands in a transaction; the
 *                                  guard decides about the rest
 *
 * After an interruption, the next run begins anew: what is written already is no difference then.
 */
import { errorText, inTransaction, untilAborted } from "@stowage/process";
import type pg from "pg";
import { dropExpired } from "../../import/merge/deleted-uploads.ts";
import { maintainIndexes } from "../../import/merge/maintain-indexes.ts";
import type { OpenedSource } from "../open-source.ts";
import { StoreError } from "../s3/store-error.ts";
import { locationText, type Source } from "../source.ts";
import { deleteGone } from "./delete-gone.ts";
import { endRun, failRun, type RunEnd, recordSourceFailure } from "./end-run.ts";
import { areTooMany, guardStop, type Stop } from "./guard.ts";
import { endEarlierHolder, type HeldSource, holdSource } from "./hold-source.ts";
import { keepKeys, keepMounts } from "./known-keys.ts";
import { type Drift, driftStop, keepDrift, lookAgain } from "./look-again.ts";
import { findMoves, moveOwnData } from "./moves.ts";
import { keepUnproved, proveGone } from "./prove-gone.ts";
import { openRun, type Phase, type Run, readRun, updateRun } from "./run.ts";
import { findGone, listedFolders } from "./seen.ts";
import { writeBatches } from "./write-batches.ts";

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
  /** How long what deleted uploads have of their own is kept. */
  readonly deletedDataDays: number;
  /** Whether to wait for the lease of a process that seems dead. */
  readonly waitsForLease: boolean;
  /** Objects that are written, or uploads that are deleted, in one transaction. Default 10,000. */
  readonly batchSize?: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: RunProgress) => void;
  /** Called when it is recorded that the run failed. Otherwise, one that throws was interrupted. */
  readonly onFailed?: () => void;
}

export interface RunProgress {
  readonly phase: Phase;
  /** Objects listed and written, or uploads deleted, in this run. */
  readonly done: number;
  readonly sizeBytes: number;
  /** Undefined while it is unknown. */
  readonly total: number | undefined;
}

/**
 * Runs the source. Returns how the run ended, which may be that the guard stopped it. Throws
 * `SourceBusyError` if another process runs the source, and whatever made the run fail; that is
 * stored first, unless the database itself failed or the signal aborted.
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
  // What is no longer mounted is then confirmed to be gone.
  const place = options.isConfirmed ? { ...source, knownMounts: [] } : source;
  const open = () => untilAborted(options.openSource(place), options.signal);
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
    const opened = report ?? (await open());
    const left = await writeAndDelete(client, run, source, { ...options, opened });
    const written = await readRun(client, run);
    const skipIndexError = run.isDryRun ? undefined : await maintain(client, written, source);
    const end = await inTransaction(client, () =>
      endRun(client, written, source, { ...left, madeAt: opened.madeAt }),
    );
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

const batchSizeDefault = 10_000;

interface Left {
  /** Why the run is not complete. */
  readonly stop: Stop | undefined;
  readonly waitingDeletions: number;
  readonly drift?: Drift;
}

async function writeAndDelete(
  client: pg.ClientBase,
  run: Run,
  source: Source,
  options: RunOptions & { readonly opened: OpenedSource },
): Promise<Left> {
  const { opened, batchSize = batchSizeDefault, isConfirmed, signal, onProgress } = options;
  let objects = 0;
  let sizeBytes = 0;
  const tell = () => onProgress({ phase: "list", done: objects, sizeBytes, total: undefined });
  tell();
  const onListed = (more: number, moreBytes: number) => {
    objects += more;
    sizeBytes += moreBytes;
    tell();
  };
  await writeBatches(client, run, { source, opened, batchSize, signal, onListed });
  const gone = await findGone(client, source, opened.madeAt);
  const of = (phase: Phase) => (done: number) =>
    onProgress({ phase, done, sizeBytes, total: gone.uploads });
  const asked = await proveGone(client, source, { gone, opened, signal, onAsked: of("prove") });
  const proof = { ...asked, unlisted: asked.unlisted - (await findMoves(client, source)) };
  const waits = !isConfirmed && (await areTooMany(client, source, gone, proof));
  if (waits) await keepUnproved(client);
  const kept = proof.present + proof.unknown + (waits ? proof.unlisted : 0);
  const counts = { gone: gone.uploads - kept, unproved: waits ? 0 : proof.unlisted };
  await updateRun(client, run, "gone = :gone, gone_unproved = :unproved", counts);
  const missingMounts = opened.mounts?.missing ?? [];
  const found = { gone, proof, waits, missingMounts };
  const doubt = guardStop(found, await readRun(client, run), source);
  const stop = isConfirmed && proof.present + proof.unknown === 0 ? undefined : doubt;
  const left = { stop, waitingDeletions: waits ? proof.unlisted : 0 };
  if (run.isDryRun) return left;
  const requireHeld = () => updateRun(client, run, "phase = 'delete'");
  await moveOwnData(client, source, requireHeld);
  const deleting = { source, gone, keptFolders: listedFolders, batchSize, requireHeld, signal };
  await deleteGone(client, { ...deleting, onDeleted: of("delete") });
  await dropExpired(client, source, options.deletedDataDays);
  if (stop !== undefined) return left;
  if (source.location.kind === "s3") await keepKeys(client, source, objects);
  else await keepMounts(client, source, opened.mounts);
  if (source.location.kind !== "s3" || opened.madeAt !== undefined) return left;
  const drift = await lookAgain(client, await readRun(client, run), source, { opened, signal });
  await keepDrift(client, source, drift);
  return { ...left, drift, stop: driftStop(drift, source) };
}

/** Returns why the skip index of the bucket could not be rebuilt; the next run tries again. */
function maintain(client: pg.ClientBase, { counts }: Run, { bucketId }: Source): Promise<unknown> {
  const rows = counts.new + counts.changed + counts.gone;
  // Even without a change: the run before may have been interrupted before it did this.
  return maintainIndexes(client, [bucketId], rows);
}
