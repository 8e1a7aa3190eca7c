import { useEffect, useState } from "react";

/** Whoever does nothing for so long is not there. */
const awayMs = 10 * 60_000;
const inputs = ["pointermove", "pointerdown", "keydown", "wheel", "focus"] as const;

/**
 * Whether the reader has left the page alone. Calls that nobody asked for then stop: each would
 * keep the session from ending, which it should do when it is idle.
 */
export function useIsAway(): boolean {
  const [isAway, setIsAway] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onInput = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setIsAway(true), awayMs);
      setIsAway(false);
    };
    onInput();
    for (const input of inputs) window.addEventListener(input, onInput, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const input of inputs) window.removeEventListener(input, onInput);
    };
  }, []);
  return isAway;
}
