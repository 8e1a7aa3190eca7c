/** What limits and orders the list: subfolders, the filters of the query, sort. */
import { useState } from "react";
import { type Address, sortColumns } from "../address/address.ts";
import { go } from "../address/use-address.ts";
import { focusList } from "../focus/focus-list.ts";
import { strings } from "../text/strings.ts";
import { FilterChips } from "./filter-chips.tsx";
import { FilterControls } from "./filter-controls.tsx";
import { isSearch } from "./list-query.ts";

const text = strings.uploads;

export function FilterBar({ address }: { readonly address: Address }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <fieldset className="list-filters" aria-label={text.filters}>
      <button
        type="button"
        className="list-more"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {text.filters} <span aria-hidden="true">{isOpen ? "▴" : "▾"}</span>
      </button>
      {!isSearch(address) && (
        <label className="list-filter">
          <input
            type="checkbox"
            checked={address.isRecursive}
            onChange={(event) => go({ isRecursive: event.target.checked })}
          />
          {text.under}
        </label>
      )}
      <FilterChips query={address.query} />
      {address.query !== "" && (
        <button
          type="button"
          onClick={() => {
            focusList();
            go({ query: "" });
          }}
        >
          {text.clearSearch}
        </button>
      )}
      <SortMenu address={address} />
      {isOpen && <FilterControls query={address.query} />}
    </fieldset>
  );
}

const sortOrders = ["asc", "desc"] as const;

function SortMenu({ address }: { readonly address: Address }) {
  return (
    <span className="list-filter list-order">
      <select
        aria-label={text.sortBy}
        title={text.sortBy}
        value={`${address.sortBy} ${address.sortOrder}`}
        onChange={(event) => {
          const [sortBy, sortOrder] = event.target.value.split(" ");
          go({ sortBy, sortOrder } as Pick<Address, "sortBy" | "sortOrder">);
        }}
      >
        {sortColumns.flatMap((sortBy) =>
          sortOrders.map((sortOrder) => (
            <option key={`${sortBy} ${sortOrder}`} value={`${sortBy} ${sortOrder}`}>
              {text.sortOrders[sortBy][sortOrder]}
            </option>
          )),
        )}
      </select>
    </span>
  );
}
