/** How wide the page is, as the style sheets have it. */
import { useSyncExternalStore } from "react";

/** The panel covers the list. */
export const useIsNarrow = widthHook("(max-width: 700px)");

/** The panel takes the place of the folders. */
export const useIsMedium = widthHook("(max-width: 860px)");

function widthHook(query: string): () => boolean {
  const media = window.matchMedia(query);
  const subscribe = (onChange: () => void) => {
    media.addEventListener("change", onChange);
    return () => media.removeEventListener("change", onChange);
  };
  const matches = () => media.matches;
  return () => useSyncExternalStore(subscribe, matches);
}
