/**
 * What the service counts and measures for operators: docs/monitoring lists them.
 * Labels have few values, whatever callers send: never an ID, a name or an address.
 */
import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";

export type ServiceMetrics = ReturnType<typeof createServiceMetrics>;

/** From public documents, the fastest, to requests that wait for the comparison of secrets. */
const requestSecondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counters that begin at 0: otherwise, alert rules would not see the first increase. */
const results = {
  signIns: ["accepted", "refused", "rate_limited", "cancelled"],
  logoutNotices: ["delivered", "failed"],
};

/** Makes the metrics of a process. */
export function createServiceMetrics(registry: Registry) {
  const metrics = registerMetrics(registry);
  for (const result of results.signIns) metrics.signIns.inc({ result }, 0);
  for (const result of results.logoutNotices) metrics.logoutNotices.inc({ result }, 0);
  return metrics;
}

function registerMetrics(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: "stowage_authorisation_requests_total",
      help: "Requests, by route and status; status aborted: the caller disconnected.",
      labelNames: ["route", "status"],
      registers,
    }),
    requestSeconds: new Histogram({
      name: "stowage_authorisation_request_duration_seconds",
      help: "Time from the head of a request to the end of its answer, by route.",
      labelNames: ["route"],
      buckets: requestSecondsBuckets,
      registers,
    }),
    grants: new Counter({
      name: "stowage_authorisation_grants_total",
      help: "Token requests, by kind of grant and result: issued, or the error code of OAuth.",
      labelNames: ["grant", "result"],
      registers,
    }),
    signIns: new Counter({
      name: "stowage_authorisation_sign_ins_total",
      help:
        "Submitted sign-in forms, links that signed in, and returns from another provider, by " +
        "result: accepted, refused, rate_limited, cancelled.",
      labelNames: ["result"],
      registers,
    }),
    rateLimited: new Counter({
      name: "stowage_authorisation_rate_limited_total",
      help:
        "Requests refused by a rate limit: address, client, login_address, login_account, " +
        "login_device, user_code_address, user_code_session.",
      labelNames: ["limit"],
      registers,
    }),
    hashing: new Gauge({
      name: "stowage_authorisation_hash_comparisons",
      help: "Comparisons with slow hashes at this moment, of passwords and of chosen secrets.",
      labelNames: ["kind", "state"],
      registers,
    }),
    logoutNotices: new Counter({
      name: "stowage_authorisation_logout_notices_total",
      help: "Notifications of logouts to clients: delivered, or failed three times.",
      labelNames: ["result"],
      registers,
    }),
  };
}
