/** The header of the list: its buttons sort. */
import type { Address } from "../address/address.ts";
import { go } from "../address/use-address.ts";
import { strings } from "../text/strings.ts";
import { type shownColumns, sortChange } from "./list-columns.ts";

interface ListHeadProps {
  readonly columns: ReturnType<typeof shownColumns>;
  readonly address: Address;
}

export function ListHead({ columns, address }: ListHeadProps) {
  return (
    <thead className="list-head">
      <tr className="list-row" aria-rowindex={1}>
        {columns.map((column) => {
          const title = strings.uploads.columns[column.name];
          const change = sortChange(column, address);
          const isSorted = column.sortBy === address.sortBy;
          return (
            <th
              key={column.name}
              scope="col"
              className={`list-cell list-cell-${column.name}`}
              aria-sort={isSorted ? ariaSorts[address.sortOrder] : undefined}
            >
              {change === undefined ? (
                title
              ) : (
                <button type="button" className="list-sort" onClick={() => go(change)}>
                  {title}
                  <span className="list-arrow" aria-hidden="true">
                    {isSorted ? arrows[address.sortOrder] : ""}
                  </span>
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

const ariaSorts = { asc: "ascending", desc: "descending" } as const;
const arrows = { asc: "▲", desc: "▼" } as const;
