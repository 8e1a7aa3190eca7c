/** The columns of the list, and what a click on their header sorts by. */
import type { Address } from "../address/address.ts";

export type ColumnName =
  | "name"
  | "path"
  | "size"
  | "created"
  | "changed"
  | "type"
  | "tags"
  | "order";

interface Column {
  readonly name: ColumnName;
  readonly sortBy?: Address["sortBy"];
  /** The direction of the first click: what people look for first. */
  readonly firstOrder?: Address["sortOrder"];
}

const columns: readonly Column[] = [
  { name: "name", sortBy: "filename", firstOrder: "asc" },
  { name: "path" },
  { name: "size", sortBy: "size_bytes", firstOrder: "desc" },
  { name: "created", sortBy: "created_at", firstOrder: "desc" },
  { name: "changed", sortBy: "updated_at", firstOrder: "desc" },
  { name: "type" },
  { name: "tags" },
  { name: "order", sortBy: "order", firstOrder: "asc" },
];

export interface ColumnNeeds {
  readonly isNarrow: boolean;
  /** Whether uploads of several folders are listed. */
  readonly isDeep: boolean;
  /** Whether an upload has an order, or the list is sorted by it. */
  readonly hasOrder: boolean;
}

/** In narrow lists, one column says all. */
export function shownColumns({ isNarrow, isDeep, hasOrder }: ColumnNeeds): readonly Column[] {
  return columns.filter(({ name }) => {
    if (isNarrow) return name === "name";
    if (name === "path") return isDeep;
    return name !== "order" || hasOrder;
  });
}

/** What a click on the header of the column changes; undefined if it cannot be sorted by. */
export function sortChange(
  { sortBy, firstOrder = "asc" }: Column,
  address: Address,
): Pick<Address, "sortBy" | "sortOrder"> | undefined {
  if (sortBy === undefined) return undefined;
  if (address.sortBy !== sortBy) return { sortBy, sortOrder: firstOrder };
  return { sortBy, sortOrder: address.sortOrder === "asc" ? "desc" : "asc" };
}
