import { once } from "node:events";
import type { Writable } from "node:stream";

/** Waits for an event of a stream. Rejects when it fails, and with the signal's reason on abort. */
export async function untilEvent(
  stream: Pick<Writable, "once" | "off">,
  event: "drain" | "finish",
  signal: AbortSignal,
): Promise<void> {
  try {
    await once(stream as Writable, event, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
