/**
 * Follows the changes of sources: watches directories, and reads queues. The schedule finds what is
 * missed, so a source that cannot be followed only shows its changes later.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { errorText, type Logger, OutageLines } from "@stowage/process";
import type pg from "pg";
import { query } from "../../postgres/named-parameters.ts";
import { watchInProcess } from "../directory/list-in-process.ts";
import type { DataFolder } from "../directory/open-directory.ts";
import type { Changed } from "../directory/watch-files.ts";
import type { Location } from "../source.ts";

interface FollowOptions {
  readonly pool: pg.Pool;
  readonly dataFolders: readonly DataFolder[];
  /** Resolves with whether the changes need not be told again. */
  readonly onChanged: (source: string, changed: Changed) => Promise<boolean>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const pollMs = 2000;
/** After a failure, the schedule alone finds changes for this time. */
const failedPauseMs = 300_000;

interface FollowedSource {
  readonly name: string;
  readonly location: Location;
  readonly queue: string | null;
}

/** Begins and ends with sources as they are added and changed, until the signal aborts. */
export async function followSources(options: FollowOptions): Promise<void> {
  const { pool, logger, signal } = options;
  const following = new Map<string, { source: FollowedSource; stop(): Promise<void> }>();
  const outages = new OutageLines(logger, {
    failing: "cannot look for directories to watch, and queues",
    over: "can look for directories to watch, and queues again",
  });
  while (!signal.aborted) {
    try {
      const wanted = await readFollowed(pool);
      for (const [name, { source, stop }] of following) {
        if (wanted.some((each) => isDeepStrictEqual(each, source))) continue;
        following.delete(name);
        await stop();
      }
      for (const source of wanted.filter(({ name }) => !following.has(name))) {
        following.set(source.name, start(source, options));
      }
    } catch (error) {
      outages.failed(errorText(error));
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all([...following.values()].map(({ stop }) => stop()));
}

async function readFollowed(pool: pg.Pool): Promise<readonly FollowedSource[]> {
  const { rows } = await pool.query<FollowedSource>(
    `select name, location, hint_queue as queue from uploads.sources
     where (location @> '{"watch": true}' or hint_queue is not null)
       and every is not null and not is_paused`,
  );
  return rows;
}

function start(source: FollowedSource, options: FollowOptions) {
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const ended = followUntilAborted(source, { ...options, signal });
  return {
    source,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

async function followUntilAborted(source: FollowedSource, options: FollowOptions): Promise<void> {
  const { pool, logger, signal } = options;
  const { name } = source;
  while (!signal.aborted) {
    try {
      await follow(source, options);
    } catch (error) {
      if (signal.aborted) return;
      const reason = errorText(error);
      logger.warn({ source: name, reason }, "changes are not followed: the schedule goes on");
      const failure = `Changes show only after the next run: ${reason}`;
      await setFailure(pool, name, failure).catch(() => undefined);
      await sleep(failedPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function follow(
  { name, location, queue }: FollowedSource,
  { pool, dataFolders, onChanged, logger, signal }: FollowOptions,
): Promise<void> {
  if (location.kind === "s3") {
    if (queue === null) return;
    const { readQueue } = await import("../hints/read-queue.ts");
    const onHints = (keys: readonly string[]) => onChanged(name, keys);
    const onAnswer = () => setFailure(pool, name, "");
    return await readQueue({ queue, location, onHints, onAnswer, logger, signal });
  }
  for await (const changed of watchInProcess({ ...location, dataFolders }, signal)) {
    if (changed === "everything") {
      await setFailure(pool, name, "");
      logger.info({ source: name }, "a directory is watched; a run looks for earlier changes");
    }
    if (changed.length > 0) void onChanged(name, changed);
  }
}

async function setFailure(pool: pg.Pool, name: string, failure: string): Promise<void> {
  await query(
    pool,
    `update uploads.sources set hint_failure = :failure
     where name = :name and hint_failure <> :failure`,
    { name, failure },
  );
}
