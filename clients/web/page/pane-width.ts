/** The width of the folders beside the list. */

export const paneWidthMinPx = 180;
const paneWidthMaxPx = 640;
const defaultWidthPx = 300;
const stepPx = 20;
/** What the style sheet leaves to the list at least, and gives to the panel. */
const listWidthMinPx = 300;
const panelWidthPx = 380;

function limited(widthPx: number, maxPx = paneWidthMaxPx): number {
  return Math.round(Math.max(paneWidthMinPx, Math.min(maxPx, widthPx)));
}

/** The largest width for which a page of this width has room. */
export function fittingWidth(pageWidthPx: number, isPanelOpen: boolean): number {
  return limited(pageWidthPx - listWidthMinPx - (isPanelOpen ? panelWidthPx : 0));
}

/** The width that the browser has kept as text, or the default. */
export function keptWidth(text: string | null): number {
  return text !== null && /^\d{1,4}$/.test(text) ? limited(Number(text)) : defaultWidthPx;
}

/** The width after the separator was dragged so far towards the end of the line. */
export function draggedWidth(widthPx: number, byPx: number, maxPx: number): number {
  return limited(widthPx + byPx, maxPx);
}

/** The width after a key on the separator. Undefined: the key does nothing. */
export function widthAfterKey(
  key: string,
  { widthPx, maxPx, isRtl }: { widthPx: number; maxPx: number; isRtl: boolean },
): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    [isRtl ? "ArrowLeft" : "ArrowRight"]: widthPx + stepPx,
    [isRtl ? "ArrowRight" : "ArrowLeft"]: widthPx - stepPx,
    Home: paneWidthMinPx,
    End: maxPx,
    Enter: defaultWidthPx,
  };
  const width = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return width === undefined ? undefined : limited(width, maxPx);
}
