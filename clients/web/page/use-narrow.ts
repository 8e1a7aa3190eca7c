import { useSyncExternalStore } from "react";

/** The same width as in the style sheets: the folders are a drawer, the panel covers the list. */
const query = window.matchMedia("(max-width: 700px)");

export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches);
}

function subscribe(onChange: () => void): () => void {
  query.addEventListener("change", onChange);
  return () => query.removeEventListener("change", onChange);
}
