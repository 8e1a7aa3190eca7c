/** Streams the answer of another server to the browser. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

interface SendLimits {
  /** Longest time without a byte of the other server, while the browser takes what comes. */
  readonly silenceMaxMs: number;
  /** Longest time in which the browser reads nothing, such as a video that is paused. */
  readonly pauseMaxMs: number;
}

const usualLimits: SendLimits = { silenceMaxMs: 60_000, pauseMaxMs: 3_600_000 };

/** Forwards an answer to the browser, as fast as it reads. If it breaks off, so does ours. */
export async function forwardAnswer(
  answer: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  limits = usualLimits,
): Promise<void> {
  // The limits here are longer than that of the server for a connection without traffic.
  response.setTimeout(0);
  response.writeHead(answer.statusCode ?? 502, headers);
  // Send the headers before the first byte of the body: browsers show the download from then on.
  response.flushHeaders();
  const limit = new AbortController();
  const stopWatching = watch(answer, response, { ...limits, limit });
  try {
    await pipeline(answer, response, { signal: limit.signal });
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    stopWatching();
  }
}

/** Aborts `limit` when nothing moves for too long, with a limit for either side. */
function watch(
  answer: IncomingMessage,
  response: ServerResponse,
  { silenceMaxMs, pauseMaxMs, limit }: SendLimits & { limit: AbortController },
): () => void {
  let movedAtMs = performance.now();
  const timer = setTimeout(() => {
    // At the end, what the browser has not read yet may be less than the buffer that drains.
    if (!response.writableNeedDrain && !answer.readableEnded) {
      limit.abort(new Error(`the server sent nothing for ${silenceMaxMs} ms`));
    } else if (performance.now() - movedAtMs >= pauseMaxMs) {
      limit.abort(new Error(`the browser read nothing for ${pauseMaxMs} ms`));
    } else {
      timer.refresh();
    }
  }, silenceMaxMs);
  const move = () => {
    movedAtMs = performance.now();
    timer.refresh();
  };
  answer.on("data", move);
  response.on("drain", move);
  return () => {
    clearTimeout(timer);
    answer.off("data", move);
    response.off("drain", move);
  };
}
