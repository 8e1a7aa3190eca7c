/** The database connections of one worker, and how its callers share them. */
import { type Logger, type Metrics, openPool, type SettingsOf } from "@stowage/process";
import type pg from "pg";
import {
  createFairPool,
  createFairQueue,
  type DatabaseForCaller,
  type FairQueueLimits,
} from "./fairness/fair-pool.ts";
import type { FairQueue } from "./fairness/fair-queue.ts";
import { connectionsFor, shareOfWorker } from "./fairness/slots.ts";
import { listSessionSettings } from "./lists/plans/statement.ts";
import { RawClient } from "./postgres/raw-client.ts";
import type { settingsTable } from "./settings.ts";

/** These statements take milliseconds unless the database is overloaded or a table is locked. */
const shortStatementTimeoutMs = 5000;
/** Ends a statement when the request to cancel it was lost. */
const statementSlackMs = 1000;
const cancelTimeoutMs = 5000;
const readinessTimeoutMs = 2000;
/**
 * Callers may read slowly for days, but not while others wait that have far fewer trees or streams
 * of content, or while calls wait for the memory of answers.
 */
export const revocableAfterMs = 60_000;

type Settings = SettingsOf<typeof settingsTable>;

interface DatabasePools {
  readonly lists: pg.Pool;
  readonly longScans: pg.Pool;
  readonly trees: pg.Pool;
  readonly cancel: pg.Pool;
  readonly readiness: pg.Pool;
}

export function openDatabasePools(
  databaseUrl: string,
  settings: Settings,
  logger: Logger,
): DatabasePools {
  const options = { databaseUrl, applicationName: "stowage-uploads", logger };
  const slots = slotsOf(settings);
  const listOptions = { ...options, serverSettings: listSessionSettings, Client: RawClient };
  return {
    lists: openPool({
      ...listOptions,
      connectionsMax: connectionsFor(slots.lists),
      statementTimeoutMs: shortStatementTimeoutMs,
    }),
    // Slow searches must leave processors to other calls.
    longScans: openPool({
      ...listOptions,
      connectionsMax: connectionsFor(slots.longScans),
      statementTimeoutMs: settings.longScanTimeoutMs + statementSlackMs,
    }),
    // The statement of a tree runs until the caller has read the tree, so it has no timeout. It
    // ends when its connection is closed.
    trees: openPool({
      ...options,
      connectionsMax: connectionsFor(slots.trees),
      serverSettings: {
        statement_timeout: "0",
        client_connection_check_interval: "1s",
        // Whatever the database's own default is: a tree is planned for its values.
        plan_cache_mode: "force_custom_plan",
      },
      Client: RawClient,
    }),
    cancel: openPool({ ...options, connectionsMax: 2, answerTimeoutMs: cancelTimeoutMs }),
    // Readiness must not wait for calls.
    readiness: openPool({ ...options, connectionsMax: 1, answerTimeoutMs: readinessTimeoutMs }),
  };
}

/** Statements of calls that were cut off are cancelled before the cancel pool ends. */
export async function endPools({ cancel, ...others }: DatabasePools): Promise<void> {
  await Promise.all(Object.values(others).map((pool) => pool.end()));
  await cancel.end();
}

/** One fair pool for each kind of statement. */
export interface FairPools {
  readonly lists: DatabaseForCaller;
  readonly longScans: DatabaseForCaller;
  readonly trees: DatabaseForCaller;
}

export function createFairPools(
  { lists, longScans, trees, cancel: cancelPool }: DatabasePools,
  settings: Settings,
  metrics: Metrics,
): FairPools {
  const options = { ...queueLimits(settings), cancelPool, metrics: metrics.pools };
  const slots = slotsOf(settings);
  return {
    lists: createFairPool({ ...options, name: "lists", pool: lists, slots: slots.lists }),
    longScans: createFairPool({
      ...options,
      name: "long_scans",
      pool: longScans,
      slots: slots.longScans,
    }),
    trees: createFairPool({
      ...options,
      name: "trees",
      pool: trees,
      slots: slots.trees,
      revocableAfterMs,
    }),
  };
}

/** The queue for streams of content, which use a connection only at their start. */
export function createContentQueue(settings: Settings): FairQueue {
  return createFairQueue(slotsOf(settings).content, queueLimits(settings), revocableAfterMs);
}

/** The slots of one worker for calls of each kind. */
function slotsOf({ workers, ...settings }: Settings) {
  return {
    lists: shareOfWorker(settings.databaseConnectionsMax, workers),
    longScans: shareOfWorker(settings.longScanConnectionsMax, workers),
    trees: shareOfWorker(settings.treeConnectionsMax, workers),
    content: shareOfWorker(settings.contentStreamsMax, workers),
  };
}

function queueLimits({ tenantWeights, waitingCallsMax, workers }: Settings): FairQueueLimits {
  return { tenantWeights, waitingMax: shareOfWorker(waitingCallsMax, workers) };
}
