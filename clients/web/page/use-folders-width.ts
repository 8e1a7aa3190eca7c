import { useState, useSyncExternalStore } from "react";
import { keepSetting, readSetting } from "../settings/kept-settings.ts";
import { fittingWidth, keptWidth } from "./pane-width.ts";

interface FoldersWidth {
  /** As it is shown. What was chosen comes back when there is room for it again. */
  readonly widthPx: number;
  readonly widthMaxPx: number;
  readonly onChange: (widthPx: number) => void;
}

const settingName = "stowage-folders-width-px";

export function useFoldersWidth(isPanelOpen: boolean): FoldersWidth {
  const [chosenPx, setChosenPx] = useState(() => keptWidth(readSetting(settingName)));
  const pagePx = useSyncExternalStore(subscribe, () => window.innerWidth);
  const widthMaxPx = fittingWidth(pagePx, isPanelOpen);
  const widthPx = Math.min(chosenPx, widthMaxPx);
  return {
    widthPx,
    widthMaxPx,
    onChange(newWidthPx) {
      if (newWidthPx === widthPx) return;
      setChosenPx(newWidthPx);
      keepSetting(settingName, `${newWidthPx}`);
    },
  };
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener("resize", onChange);
  return () => window.removeEventListener("resize", onChange);
}
