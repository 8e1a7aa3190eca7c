import type { RunQuery } from "./statements.ts";

/** A way to run a statement that PostgreSQL's planner chooses among. */
type PlanMethod = "hashjoin" | "mergejoin" | "seqscan" | "sort";

/**
 * Keeps the planner from these methods for the statements of `work`, where its statistics cannot
 * know better. Needs a transaction, at whose end the settings are what they were before.
 */
export async function withoutMethods<T>(
  run: RunQuery,
  methods: readonly PlanMethod[],
  work: () => Promise<T>,
): Promise<T> {
  const set = (value: "off" | "on") => {
    const settings = methods.map((method) => `set_config('enable_${method}', '${value}', true)`);
    return run(`select ${settings.join(", ")}`);
  };
  await set("off");
  const result = await work();
  await set("on");
  return result;
}
