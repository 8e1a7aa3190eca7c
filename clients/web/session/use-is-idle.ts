import { useEffect, useState } from "react";

/** After so long without any input, the reader counts as idle. */
const idleMs = 10 * 60_000;
const inputs = ["pointermove", "pointerdown", "keydown", "wheel", "focus"] as const;

/**
 * Whether the reader has left the page alone. The page then makes no calls by itself: each would
 * keep the session from ending, which it should do when it is idle.
 */
export function useIsIdle(): boolean {
  const [isIdle, setIsIdle] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onInput = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setIsIdle(true), idleMs);
      setIsIdle(false);
    };
    onInput();
    for (const input of inputs) window.addEventListener(input, onInput, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const input of inputs) window.removeEventListener(input, onInput);
    };
  }, []);
  return isIdle;
}
