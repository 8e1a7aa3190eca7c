/**
 * What the service counts and measures for operators: docs/monitoring lists them.
 * Labels have few values, whatever browsers send: never an ID, a name or an address.
 */
import { Counter, Histogram, type Registry } from "@prometheus-io/client";

export type ServiceMetrics = ReturnType<typeof createServiceMetrics>;

/** From files in memory to content that a slow browser reads. */
const requestSecondsBuckets = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600];

/** Results that must be 0 before they first happen: otherwise rules do not see the first ones. */
const results = {
  signIns: ["signed_in", "declined", "refused"],
  refreshes: ["refreshed", "refused", "failed"],
};

/**
 * Makes the metrics of a process.
 *
 * @param checkNames the checks of a session, as labels
 */
export function createServiceMetrics(registry: Registry, checkNames: readonly string[]) {
  const registers = [registry];
  const metrics = {
    requests: new Counter({
      name: "stowage_web_requests_total",
      help: "Requests, by route and status; status aborted: the browser disconnected.",
      labelNames: ["route", "status"],
      registers,
    }),
    requestSeconds: new Histogram({
      name: "stowage_web_request_duration_seconds",
      help: "Time from the head of a request to the end of its answer, by route.",
      labelNames: ["route"],
      buckets: requestSecondsBuckets,
      registers,
    }),
    signIns: new Counter({
      name: "stowage_web_sign_ins_total",
      help: "Browsers that came back from the issuer, by result: signed_in, declined, refused.",
      labelNames: ["result"],
      registers,
    }),
    refusals: new Counter({
      name: "stowage_web_session_refusals_total",
      help: "Requests that failed a check of their session, by check, in the order of the checks.",
      labelNames: ["check"],
      registers,
    }),
    refreshes: new Counter({
      name: "stowage_web_token_refreshes_total",
      help: "Tokens of sessions that were refreshed, by result: refreshed, refused, failed.",
      labelNames: ["result"],
      registers,
    }),
  };
  for (const result of results.signIns) metrics.signIns.inc({ result }, 0);
  for (const result of results.refreshes) metrics.refreshes.inc({ result }, 0);
  for (const check of checkNames) metrics.refusals.inc({ check }, 0);
  return metrics;
}
