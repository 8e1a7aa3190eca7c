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

/** Sends an answer on to the browser, as fast as it reads. If it breaks off, so does ours. */
export async function sendOn(
  answer: IncomingMessage,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  limits = usualLimits,
): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, headers);
  // The head is of use before the first byte: a browser shows that the download begins.
  response.flushHeaders();
  const stopWatching = watch(answer, response, limits);
  try {
    await pipeline(answer, response);
  } finally {
    stopWatching();
  }
}

/** Breaks an answer off when nothing moves for too long, with a limit for either side. */
function watch(
  answer: IncomingMessage,
  response: ServerResponse,
  { silenceMaxMs, pauseMaxMs }: SendLimits,
): () => void {
  let movedAtMs = performance.now();
  const timer = setTimeout(() => {
    if (!response.writableNeedDrain) {
      answer.destroy(new Error(`the server sent nothing for ${silenceMaxMs} ms`));
    } else if (performance.now() - movedAtMs >= pauseMaxMs) {
      answer.destroy(new Error(`the browser read nothing for ${pauseMaxMs} ms`));
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
