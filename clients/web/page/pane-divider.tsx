import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { strings } from "../text/strings.ts";
import { draggedWidth, paneWidthMinPx, widthAfterKey } from "./pane-width.ts";

interface Props {
  readonly widthPx: number;
  readonly widthMaxPx: number;
  /** The ID of the pane whose width changes. */
  readonly paneId: string;
  readonly onChange: (widthPx: number) => void;
}

/** The border between the folders and the list, which pointers and arrow keys move. */
export function PaneDivider({ widthPx, widthMaxPx, paneId, onChange }: Props) {
  const drag = useRef<{ readonly x: number; readonly widthPx: number }>(null);
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (drag.current === null) return;
    const byPx = (event.clientX - drag.current.x) * (isRtl(event.currentTarget) ? -1 : 1);
    onChange(draggedWidth(drag.current.widthPx, byPx, widthMaxPx));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const width = widthAfterKey(event.key, {
      ...{ widthPx, maxPx: widthMaxPx },
      isRtl: isRtl(event.currentTarget),
    });
    if (width === undefined) return;
    event.preventDefault();
    onChange(width);
  };
  return (
    <hr
      className="page-divider"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={strings.page.foldersWidth}
      aria-controls={paneId}
      aria-valuenow={widthPx}
      aria-valuemin={paneWidthMinPx}
      aria-valuemax={widthMaxPx}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: event.clientX, widthPx };
      }}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        drag.current = null;
      }}
      onPointerCancel={() => {
        drag.current = null;
      }}
    />
  );
}

function isRtl(element: Element): boolean {
  return element.matches(":dir(rtl)");
}
