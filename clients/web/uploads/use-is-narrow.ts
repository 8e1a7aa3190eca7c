/** Whether the page is narrow, as the style sheets have it. */
import { useSyncExternalStore } from "react";

const narrow = window.matchMedia("(max-width: 700px)");

function subscribe(onChange: () => void): () => void {
  narrow.addEventListener("change", onChange);
  return () => narrow.removeEventListener("change", onChange);
}

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}
