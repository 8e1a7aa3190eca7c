/**
 * Scrolls through content that is taller than browsers allow an element to be.
 *
 * The element that scrolls is at most `spaceMaxPx` high. If the content is higher, a place in the
 * space stands for a place in the content. Short ways move the content by as many pixels as the
 * space, so that nothing jumps. Long ones, as by dragging the scroll bar, go to the place in
 * proportion. What short ways have put out of proportion is put right when scrolling pauses.
 */

/** Firefox allows about 17 million. Positions up to here are exact to the pixel everywhere. */
const spaceMaxPx = 8_000_000;

/** So far from each end, the space and the content have the same measure. */
const marginPx = 100_000;

/** Ways of more than so many heights of the view are long. */
const shortWayViews = 3;

export interface ScrollSizes {
  readonly contentPx: number;
  readonly viewPx: number;
}

export interface ScrollPlace {
  /** The first pixel of the content that is in view. */
  readonly contentTopPx: number;
  /** How far the space is scrolled. */
  readonly spaceTopPx: number;
}

export function spaceOf({ contentPx }: ScrollSizes): number {
  return Math.min(contentPx, spaceMaxPx);
}

/** Where the content is after the reader has scrolled the space. */
export function scrolledTo(
  place: ScrollPlace,
  spaceTopPx: number,
  sizes: ScrollSizes,
): ScrollPlace {
  const wayPx = spaceTopPx - place.spaceTopPx;
  const isShort = Math.abs(wayPx) <= shortWayViews * sizes.viewPx;
  const contentTopPx =
    isShort && sizes.contentPx > spaceMaxPx
      ? place.contentTopPx + wayPx
      : inProportion(spaceTopPx, lastTop(spaceOf(sizes), sizes), lastTop(sizes.contentPx, sizes));
  return { spaceTopPx, contentTopPx: within(contentTopPx, lastTop(sizes.contentPx, sizes)) };
}

/** The place to scroll to so that the content begins there. */
export function placeOf(contentTopPx: number, sizes: ScrollSizes): ScrollPlace {
  const contentMax = lastTop(sizes.contentPx, sizes);
  const top = within(contentTopPx, contentMax);
  const spaceTopPx = Math.round(inProportion(top, contentMax, lastTop(spaceOf(sizes), sizes)));
  return { contentTopPx: top, spaceTopPx };
}

/**
 * Whether the space must be put in proportion at once: it has reached an end, and the content has
 * not.
 */
export function isStuck({ spaceTopPx, contentTopPx }: ScrollPlace, sizes: ScrollSizes): boolean {
  if (spaceTopPx <= 0) return contentTopPx > 0;
  if (spaceTopPx < lastTop(spaceOf(sizes), sizes) - 1) return false;
  return contentTopPx < lastTop(sizes.contentPx, sizes) - 1;
}

function lastTop(heightPx: number, { viewPx }: ScrollSizes): number {
  return Math.max(heightPx - viewPx, 0);
}

function within(value: number, max: number): number {
  return Math.min(Math.max(value, 0), max);
}

/** Near both ends, places are equally far from the end: scrolling there meets no surprises. */
function inProportion(value: number, max: number, otherMax: number): number {
  if (max === otherMax || value <= marginPx) return value;
  if (value >= max - marginPx) return otherMax - (max - value);
  const share = (value - marginPx) / (max - 2 * marginPx);
  return marginPx + share * (otherMax - 2 * marginPx);
}
