/** The parts of a folder as a table: for those who cannot see the map, and for exact values. */
import { useRef } from "react";
import { AddressLink } from "../address/address-link.tsx";
import { usePaneFocus } from "../focus/use-pane-focus.ts";
import type { FolderLevel } from "../folders/folder-level.ts";
import { formatCount } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { openingPart, textsOf } from "./part-texts.ts";
import { keyOf, partsOf } from "./space-parts.ts";

/** More rows take long to draw, and the rest is small. */
const rowsMax = 1000;

const texts = strings.space;

export function PartsTable({ level }: { readonly level: FolderLevel }) {
  const totalBytes = level.totals.sizeBytes;
  const table = useRef<HTMLDivElement>(null);
  usePaneFocus(table);
  return (
    <div ref={table} className="space-table">
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.name}</th>
            <th scope="col">{texts.size}</th>
            <th scope="col">{texts.share}</th>
            <th scope="col">{texts.uploads}</th>
          </tr>
        </thead>
        <tbody>
          {partsOf(level, { partsMax: rowsMax, shareMin: 0 }).map((part) => {
            const { name, size, share } = textsOf(part, totalBytes);
            const change = openingPart(part);
            return (
              <tr key={keyOf(part)}>
                <th scope="row">
                  {change === undefined ? (
                    name
                  ) : (
                    <AddressLink change={change}>
                      <bdi>{name}</bdi>
                    </AddressLink>
                  )}
                </th>
                <td>{size}</td>
                <td>{share}</td>
                <td>{formatCount(part.totals.uploadCount)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
