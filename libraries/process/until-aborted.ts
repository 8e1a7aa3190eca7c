/**
 * Settles as `work` does, or rejects with the signal's reason when it aborts. This does not stop
 * the work itself.
 */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const stopListening = () => signal.removeEventListener("abort", onAbort);
    work.then(
      (result) => {
        stopListening();
        resolve(result);
      },
      (error) => {
        stopListening();
        reject(error);
      },
    );
  });
}
