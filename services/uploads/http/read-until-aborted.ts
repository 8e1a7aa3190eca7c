/** The same chunks, until the signal aborts: then the reader gets the reason. */
export async function* readUntilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<never>();
  // Rejected with nobody waiting, it must not count as unhandled.
  aborted.promise.catch(() => {});
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      const chunk = await Promise.race([chunks.next(), aborted.promise]);
      if (chunk.done === true) return;
      yield chunk.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
