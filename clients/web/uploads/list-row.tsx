import { memo } from "react";
import type { Address } from "../address/address.ts";
import type { shownColumns } from "./list-columns.ts";
import type { ListEntry } from "./list-entries.ts";
import { Cell } from "./row-cells.tsx";

interface ListRowProps {
  readonly index: number;
  /** Undefined while the row is read. */
  readonly entry: ListEntry | undefined;
  readonly columns: ReturnType<typeof shownColumns>;
  readonly address: Address;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly isNarrow: boolean;
}

/** One row. What it does when it is clicked is in `use-list-actions.ts`. */
export const ListRow = memo(function ListRow(props: ListRowProps) {
  const { index, entry, columns, isActive, isSelected } = props;
  const isOpen = entry !== undefined && "id" in entry && entry.id === props.address.upload;
  return (
    <tr
      id={rowId(index)}
      className="list-row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-busy={entry === undefined || undefined}
      data-index={index}
      data-active={isActive || undefined}
      data-open={isOpen || undefined}
    >
      {columns.map(({ name }) => (
        <td key={name} className={`list-cell list-cell-${name}`}>
          {entry === undefined ? (
            <span className="list-skeleton" />
          ) : (
            <Cell column={name} entry={entry} address={props.address} isNarrow={props.isNarrow} />
          )}
        </td>
      ))}
    </tr>
  );
});

export function rowId(index: number): string {
  return `uploads-row-${index}`;
}
