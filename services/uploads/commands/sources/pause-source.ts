/** `sources pause` and `resume`. */
import { printText } from "@stowage/process";
import { Command } from "commander";
import type pg from "pg";
import { withDatabase } from "../../command-line/open-database.ts";
import { query } from "../../postgres/named-parameters.ts";
import { findSource, type Source } from "../../sources/source.ts";
import type { SourcesContext } from "./context.ts";

export function pauseCommand(context: SourcesContext): Command {
  return new Command("pause")
    .description("Stops the schedule of a source. A run that has begun goes on.")
    .argument("<name>", "the source")
    .action(async (name: string) => {
      await pauseOrResume(context, name, true);
      printText(`paused ${name}; to go on: stowage sources resume ${name}\n`);
    });
}

export function resumeCommand(context: SourcesContext): Command {
  return new Command("resume")
    .description("Ends a pause: a source with a schedule is due at once.")
    .argument("<name>", "the source")
    .action(async (name: string) => {
      const { everyMs } = await pauseOrResume(context, name, false);
      const next =
        everyMs === undefined
          ? `; it has no schedule, run it with: stowage sources sync ${name}`
          : "";
      printText(`resumed ${name}${next}\n`);
    });
}

async function pauseOrResume(
  context: SourcesContext,
  name: string,
  isPaused: boolean,
): Promise<Source> {
  return await withDatabase(context, async (client) => {
    const source = await findSource(client, name);
    await setPaused(client, source, isPaused);
    return source;
  });
}

/** Pauses a source, or ends its pause. */
export async function setPaused(
  client: pg.ClientBase,
  { bucketId, sourceId }: Source,
  isPaused: boolean,
): Promise<void> {
  await query(
    client,
    `update uploads.sources set is_paused = :isPaused,
       next_run_at = case when every is not null and is_paused and not :isPaused then now()
         else next_run_at end
     where bucket_id = :bucketId and source_id = :sourceId`,
    { bucketId, sourceId, isPaused },
  );
}
