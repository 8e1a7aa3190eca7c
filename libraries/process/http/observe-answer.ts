import type { ServerResponse } from "node:http";
import type { Counter, Histogram } from "@prometheus-io/client";
import type { AccessLines } from "./access-lines.ts";

interface ObservedRequest {
  readonly route: string;
  readonly metrics: {
    readonly requests: Counter<"route" | "status">;
    readonly requestSeconds: Histogram<"route">;
  };
  readonly accessLines: AccessLines;
}

/**
 * Counts a request, and logs a line, when its answer has been sent or the caller has gone. Its time
 * is that since this call.
 *
 * @param members makes the members of the line; see `AccessLines.write`.
 */
export function observeAnswer(
  response: ServerResponse,
  { route, metrics, accessLines }: ObservedRequest,
  members: (status: string) => object,
): void {
  const beganAtMs = performance.now();
  response.once("close", () => {
    const status = response.writableFinished ? `${response.statusCode}` : "aborted";
    const durationMs = performance.now() - beganAtMs;
    metrics.requests.inc({ route, status });
    metrics.requestSeconds.observe({ route }, durationMs / 1000);
    const isFailed = !response.writableFinished || response.statusCode >= 400;
    accessLines.write("request", { isFailed, durationMs }, () => members(status));
  });
}
