/** Where the parts are drawn: each gets an area in proportion to its bytes. */
import { hierarchy, treemap } from "d3-hierarchy";
import type { SpacePart } from "./space-parts.ts";

/** In pixels, from the top left corner. */
export interface Cell {
  readonly part: SpacePart;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Node {
  readonly part?: SpacePart;
  readonly children?: readonly Node[];
}

/** The largest first. Parts without bytes get no cell. */
export function layOut(parts: readonly SpacePart[], { width, height }: Size): readonly Cell[] {
  const children: readonly Node[] = parts
    .filter(({ totals }) => totals.sizeBytes > 0)
    .sort((one, other) => other.totals.sizeBytes - one.totals.sizeBytes)
    .map((part) => ({ part }));
  if (children.length === 0 || width <= 0 || height <= 0) return [];
  const root = hierarchy<Node>({ children }, (node) => node.children as Node[] | undefined).sum(
    ({ part }) => part?.totals.sizeBytes ?? 0,
  );
  const laidOut = treemap<Node>().size([width, height])(root);
  return laidOut.leaves().flatMap(({ data: { part }, x0, x1, y0, y1 }) => {
    if (part === undefined) return [];
    return [{ part, x: x0, y: y0, width: x1 - x0, height: y1 - y0 }];
  });
}

/** Edges of neighbours are computed, and differ by rounding errors. In pixels. */
const edgeTolerance = 0.01;

export type Direction = "up" | "down" | "left" | "right";

/** The index of the cell next to a cell. Undefined at the edge. */
export function neighbourOf(
  cells: readonly Cell[],
  index: number,
  direction: Direction,
): number | undefined {
  const from = cells[index];
  if (from === undefined) return undefined;
  let best: { readonly index: number; readonly distance: number } | undefined;
  for (const [candidate, cell] of cells.entries()) {
    const ahead = gapTo(from, cell, direction);
    if (candidate === index || ahead < -edgeTolerance) continue;
    const distance = ahead + offsetOf(from, cell, direction);
    if (best === undefined || distance < best.distance) best = { index: candidate, distance };
  }
  return best?.index;
}

/** From the edge of a cell to the near edge of another. Negative: it is not in that direction. */
function gapTo(from: Cell, to: Cell, direction: Direction): number {
  const gaps: Readonly<Record<Direction, number>> = {
    right: to.x - (from.x + from.width),
    left: from.x - (to.x + to.width),
    down: to.y - (from.y + from.height),
    up: from.y - (to.y + to.height),
  };
  return gaps[direction];
}

/** From the middle of a cell to another, across the direction. 0: it is straight ahead. */
function offsetOf(from: Cell, to: Cell, direction: Direction): number {
  const isSideways = direction === "left" || direction === "right";
  const middle = isSideways ? from.y + from.height / 2 : from.x + from.width / 2;
  const start = isSideways ? to.y : to.x;
  const end = isSideways ? to.y + to.height : to.x + to.width;
  return Math.max(0, start - middle, middle - end);
}
