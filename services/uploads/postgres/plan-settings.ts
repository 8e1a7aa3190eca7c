import type { RunQuery } from "./statements.ts";

/** A method of PostgreSQL's planner to carry out a statement. */
type PlanMethod = "hashjoin" | "mergejoin" | "seqscan" | "sort";

/**
 * Keeps the planner from using these methods for the statements of `work`, where its statistics are
 * misleading. Needs a transaction: at its end, the settings are reset.
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
