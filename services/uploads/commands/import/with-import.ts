import type pg from "pg";
import { withPool } from "../../command-line/open-database.ts";
import type { CommandContext } from "../../command-line/program.ts";
import { createProgress, type FirstStep, type Progress } from "../../command-line/progress.ts";
import { whileCleaningTerms } from "../../import/merge/clean-terms.ts";
import { onOneConnection } from "../../postgres/one-connection.ts";

/**
 * Runs an import on one connection, while another one keeps the index of terms fast, and shows its
 * progress. When the signal aborts, what is not committed is undone, and the signal's reason is
 * thrown. If the import is already committed and only its skip index is being rebuilt, it ends
 * normally, with a `skipIndexError`.
 */
export function withImport(
  context: CommandContext,
  step: FirstStep,
  work: (client: pg.ClientBase, progress: Progress) => Promise<void>,
): Promise<void> {
  const workOn = async (client: pg.ClientBase) => {
    const progress = createProgress(process.stderr, step);
    try {
      await work(client, progress);
    } finally {
      progress.stop();
    }
  };
  return withPool(context, 2, (pool) =>
    whileCleaningTerms(pool, () => onOneConnection(pool, context.signal, workOn)),
  );
}
