/**
 * Watches the directories of sources that were added with `--watch`. The schedule finds what is
 * missed, so a directory that cannot be watched only shows its changes later.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { errorText, type Logger, OutageLines } from "@stowage/process";
import type pg from "pg";
import { query } from "../../postgres/named-parameters.ts";
import { watchInProcess } from "../directory/list-in-process.ts";
import type { DataFolder } from "../directory/open-directory.ts";
import type { Changed } from "../directory/watch-files.ts";
import type { DirectoryLocation } from "../source.ts";

interface WatchOptions {
  readonly pool: pg.Pool;
  readonly dataFolders: readonly DataFolder[];
  readonly onChanged: (source: string, changed: Changed) => void;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const pollMs = 2000;
/** After a failure, the schedule alone finds changes for this time. */
const failedPauseMs = 300_000;

interface WatchedSource {
  readonly name: string;
  readonly location: DirectoryLocation;
}

/** Begins and ends watching as sources are added and changed, until the signal aborts. */
export async function watchDirectories(options: WatchOptions): Promise<void> {
  const { pool, logger, signal } = options;
  const watching = new Map<string, { source: WatchedSource; stop(): Promise<void> }>();
  const outages = new OutageLines(logger, {
    failing: "cannot look for directories to watch",
    over: "can look for directories to watch again",
  });
  while (!signal.aborted) {
    try {
      const wanted = await readWatched(pool);
      for (const [name, { source, stop }] of watching) {
        if (wanted.some((each) => isDeepStrictEqual(each, source))) continue;
        watching.delete(name);
        await stop();
      }
      for (const source of wanted.filter(({ name }) => !watching.has(name))) {
        watching.set(source.name, start(source, options));
      }
    } catch (error) {
      outages.failed(errorText(error));
    }
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all([...watching.values()].map(({ stop }) => stop()));
}

async function readWatched(pool: pg.Pool): Promise<readonly WatchedSource[]> {
  const { rows } = await pool.query<WatchedSource>(
    `select name, location from uploads.sources
     where location @> '{"kind": "directory", "watch": true}'
       and every is not null and not is_paused`,
  );
  return rows;
}

function start(source: WatchedSource, options: WatchOptions) {
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const ended = watchSource(source, { ...options, signal });
  return {
    source,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

async function watchSource(
  { name, location }: WatchedSource,
  { pool, dataFolders, onChanged, logger, signal }: WatchOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const changed of watchInProcess({ ...location, dataFolders }, signal)) {
        if (changed === "everything") {
          await setFailure(pool, name, "");
          logger.info({ source: name }, "a directory is watched; a run looks for earlier changes");
        }
        if (changed.length > 0) onChanged(name, changed);
      }
    } catch (error) {
      if (signal.aborted) return;
      const reason = errorText(error);
      logger.warn({ source: name, reason }, "a directory is not watched: its schedule goes on");
      await setFailure(pool, name, reason).catch(() => undefined);
      await sleep(failedPauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function setFailure(pool: pg.Pool, name: string, failure: string): Promise<void> {
  await query(
    pool,
    `update uploads.sources set watch_failure = :failure
     where name = :name and watch_failure <> :failure`,
    { name, failure },
  );
}
