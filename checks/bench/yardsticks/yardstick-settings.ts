/** Settings of a yardstick's connections, as the service has them: a statement is planned once. */
export const yardstickSettings = {
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  max_parallel_workers_per_gather: "0",
};
