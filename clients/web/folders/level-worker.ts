/** Runs in a worker: parses the answer that `read-levels.ts` sends, and sends the level back. */
import { parseLevel } from "./read-levels.ts";

addEventListener("message", ({ data }: MessageEvent<ArrayBuffer>) => {
  postMessage(parseLevel(data));
});
