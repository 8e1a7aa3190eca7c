/** Stops work for a browser that has gone. */
import type { ServerResponse } from "node:http";

/** Aborts when the browser disconnects before the answer is complete. */
export function whileConnected(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) controller.abort(new BrowserGoneError());
  });
  if (response.destroyed) controller.abort(new BrowserGoneError());
  return controller.signal;
}

/** Nobody waits for the answer any more. */
export class BrowserGoneError extends Error {
  override readonly name = "BrowserGoneError";
}
