import { Counter, type Registry } from "@prometheus-io/client";
import { errorText } from "../error-text.ts";
import type { Logger } from "../logger.ts";
import { untilAborted } from "../until-aborted.ts";

export interface HealthOptions {
  /** What the program needs to serve requests, by name. A check rejects if it fails. */
  readonly checks: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>;
  /** Aborted when the program is stopping: it is then alive but not ready. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Where failed checks are counted. */
  readonly registry: Registry;
  /** A check that takes longer counts as failed. Default 2000. */
  readonly checkTimeoutMs?: number;
}

/** Answers a health request and returns true. Returns false for any other request. */
export type HealthHandler = (request: Request, response: Response) => boolean;

/**
 * `GET /healthz`: 200 while the process answers. `GET /readyz`: 200 when every check passes, else
 * 503 with the names of the failing ones. When a check begins to fail, for another reason, or
 * passes again, that goes to the log. Concurrent requests share one run of the checks, so that
 * probes cannot overload what they check.
 */
export function createHealthHandler(options: HealthOptions): HealthHandler {
  const countFailure = failureCounter(options);
  const logged = new Map<string, string>();
  let running: Promise<readonly string[]> | undefined;

  function failingChecks(): Promise<readonly string[]> {
    running ??= runChecks(options, countFailure, logged).finally(() => {
      running = undefined;
    });
    return running;
  }

  return (request, response) => {
    const path = request.url?.split("?", 1)[0];
    if (path !== "/healthz" && path !== "/readyz") return false;
    if (request.method !== "GET" && request.method !== "HEAD") {
      send(response, 405, { status: "method not allowed" }, { allow: "GET, HEAD" });
    } else if (path === "/healthz") {
      send(response, 200, { status: "alive" });
    } else if (options.signal.aborted) {
      send(response, 503, { status: "stopping" });
    } else {
      void failingChecks().then((failing) => {
        if (failing.length === 0) send(response, 200, { status: "ready" });
        else send(response, 503, { status: "unavailable", failing });
      });
    }
    return true;
  };
}

/** The parts used here of a request and a response, of HTTP/1.1 or HTTP/2. */
interface Request {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}
interface Response {
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  end(body: string): unknown;
}

function failureCounter({ registry, checks }: HealthOptions): (check: string) => void {
  const failures = new Counter({
    name: "stowage_readiness_failures_total",
    help: "Readiness checks that failed, by check.",
    labelNames: ["check"],
    registers: [registry],
  });
  for (const check of Object.keys(checks)) failures.inc({ check }, 0);
  return (check) => failures.inc({ check });
}

const checkTimeoutMsDefault = 2000;

async function runChecks(
  options: HealthOptions,
  countFailure: (check: string) => void,
  logged: Map<string, string>,
): Promise<readonly string[]> {
  const { logger } = options;
  const timeoutMs = options.checkTimeoutMs ?? checkTimeoutMsDefault;
  const failing = await Promise.all(
    Object.entries(options.checks).map(async ([name, check]) => {
      try {
        const timeout = AbortSignal.timeout(timeoutMs);
        await untilAborted(check(timeout), timeout);
        if (logged.delete(name)) logger.warn({ check: name }, "a readiness check passes again");
        return [];
      } catch (error) {
        countFailure(name);
        const reason = errorText(error);
        if (logged.get(name) !== reason) {
          logger.warn({ check: name, reason }, "a readiness check failed");
        }
        logged.set(name, reason);
        return [name];
      }
    }),
  );
  return failing.flat();
}

function send(
  response: Response,
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    ...headers,
  });
  response.end(`${JSON.stringify(body)}\n`);
}
