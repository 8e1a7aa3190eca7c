/** Which rows of a long list are in view, and where they are drawn. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import {
  isStuck,
  placeOf,
  type ScrollPlace,
  type ScrollSizes,
  scrolledTo,
  spaceOf,
} from "./scroll-range.ts";

/** Rows drawn beyond the view, so that they are there when the view moves. */
const aheadRows = 12;

/** The same before the list is scrolled. Fewer rows are drawn sooner. */
const aheadRowsAtTop = 3;

/** The drawn rows change in steps, so that most movements draw nothing. */
const stepRows = 6;

/** After a pause of this length, the scroll bar is moved to the right place. */
const pauseMs = 150;

interface ScrollWindow {
  /** The first and last row to draw. */
  readonly first: number;
  readonly last: number;
  /** Where the first row is drawn in the space. */
  readonly offsetPx: number;
  readonly spacePx: number;
  readonly viewRows: number;
  readonly onScroll: () => void;
  /** Scrolls as little as needed for the row to be in view. */
  readonly reveal: (row: number) => void;
  /** Scrolls so that the row is the first in view. */
  readonly scrollTo: (row: number) => void;
  /** The first row in view, with its fraction. */
  readonly top: () => number;
}

interface ScrollWindowOptions {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly rowCount: number;
  readonly rowPx: number;
  /** The height of the header, which covers the top of the scroller. */
  readonly headPx: number;
}

export function useScrollWindow(options: ScrollWindowOptions): ScrollWindow {
  const { scroller, rowCount, rowPx, headPx } = options;
  const [viewPx, setViewPx] = useState(0);
  const [place, setPlace] = useState<ScrollPlace>({ contentTopPx: 0, spaceTopPx: 0 });
  const sizes: ScrollSizes = { contentPx: rowCount * rowPx, viewPx };
  const latest = useRef({ place, sizes });
  latest.current.sizes = sizes;
  const pause = useRef<number>(undefined);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setViewPx(element.clientHeight - headPx));
    observer.observe(element);
    setViewPx(element.clientHeight - headPx);
    return () => observer.disconnect();
  }, [scroller, headPx]);
  useEffect(() => () => window.clearTimeout(pause.current), []);

  const moveTo = useCallback(
    (next: ScrollPlace) => {
      latest.current.place = next;
      setPlace((before) => (drawsSame(before, next, rowPx) ? before : next));
    },
    [rowPx],
  );
  const scrollToPx = useCallback(
    (contentTopPx: number) => {
      const { spaceTopPx } = latest.current.place;
      const next = placeOf(contentTopPx, latest.current.sizes);
      moveTo(next);
      // To set `scrollTop` makes the browser lay everything out at once.
      if (spaceTopPx === next.spaceTopPx || scroller.current === null) return;
      scroller.current.scrollTop = next.spaceTopPx;
    },
    [moveTo, scroller],
  );
  const onScroll = useCallback(() => {
    const { place: before, sizes: now } = latest.current;
    const next = scrolledTo(before, scroller.current?.scrollTop ?? 0, now);
    moveTo(next);
    window.clearTimeout(pause.current);
    if (spaceOf(now) === now.contentPx) return;
    const putRight = () => scrollToPx(latest.current.place.contentTopPx);
    if (isStuck(next, now)) putRight();
    else pause.current = window.setTimeout(putRight, pauseMs);
  }, [moveTo, scrollToPx, scroller]);

  const scrollTo = useCallback((row: number) => scrollToPx(row * rowPx), [scrollToPx, rowPx]);
  const top = useCallback(() => latest.current.place.contentTopPx / rowPx, [rowPx]);
  const reveal = useCallback(
    (row: number) => {
      const { place: now, sizes: nowSizes } = latest.current;
      const hiddenPx = (row + 1) * rowPx - nowSizes.viewPx;
      if (row * rowPx < now.contentTopPx) scrollToPx(row * rowPx);
      else if (hiddenPx > now.contentTopPx) scrollToPx(hiddenPx);
    },
    [scrollToPx, rowPx],
  );

  const first = Math.max(stepOf(place.contentTopPx, rowPx) * stepRows - aheadRows, 0);
  const viewRows = Math.ceil(viewPx / rowPx);
  const lastAtTop = viewRows + aheadRowsAtTop;
  const lastBelow = first + viewRows + 2 * aheadRows + stepRows;
  return {
    first,
    last: Math.min(place.contentTopPx === 0 ? lastAtTop : lastBelow, rowCount - 1),
    offsetPx: first * rowPx - place.contentTopPx + place.spaceTopPx,
    spacePx: spaceOf(sizes),
    viewRows: Math.max(Math.floor(viewPx / rowPx), 1),
    onScroll,
    reveal,
    scrollTo,
    top,
  };
}

function stepOf(contentTopPx: number, rowPx: number): number {
  return Math.floor(contentTopPx / rowPx / stepRows);
}

/** Whether the same rows are drawn in the same places of the space. */
function drawsSame(before: ScrollPlace, next: ScrollPlace, rowPx: number): boolean {
  const baseOf = ({ contentTopPx, spaceTopPx }: ScrollPlace) => contentTopPx - spaceTopPx;
  return (
    (before.contentTopPx === 0) === (next.contentTopPx === 0) &&
    stepOf(before.contentTopPx, rowPx) === stepOf(next.contentTopPx, rowPx) &&
    Math.abs(baseOf(before) - baseOf(next)) < 0.5
  );
}
