const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * npm forwards the Ctrl-C that the terminal has already sent: the same signal within this time is
 * the same key press.
 */
const sameSignalMs = 500;

/** Calls `onStop` for every request to end. Returns what takes that back. */
export function listenForStop(onStop: (signal: NodeJS.Signals) => void): () => void {
  const listeners = stopSignals.map((signal) => {
    let calledAtMs = Number.NEGATIVE_INFINITY;
    const listener = () => {
      if (performance.now() - calledAtMs < sameSignalMs) return;
      calledAtMs = performance.now();
      onStop(signal);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const stopListening of listeners) stopListening();
  };
}
