/** What limits and orders the list: subfolders, tags, days, sort. */
import type { FormEvent } from "react";
import { type Address, defaultAddress, sortColumns } from "../address/address.ts";
import { tagsMax } from "../address/address-limits.ts";
import { go } from "../address/use-address.ts";
import { focusList } from "../focus/focus-list.ts";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { DateFilter } from "./date-filter.tsx";
import { filterCount, isDeep, isFiltered } from "./list-query.ts";

const text = strings.uploads;

/** Where the list is wide, the style sheet shows the filters without the summary. */
export function FilterBar({ address }: { readonly address: Address }) {
  return (
    <fieldset className="list-filters" aria-label={text.filters}>
      <details className="list-more">
        <summary>{text.filtersSet(filterCount(address))}</summary>
        <div className="list-more-content">
          <label className="list-filter">
            <input
              type="checkbox"
              checked={isDeep(address)}
              disabled={address.search !== ""}
              onChange={(event) => go({ isRecursive: event.target.checked })}
            />
            {text.under}
          </label>
          <TagFilter tags={address.tags} />
          <DateFilter address={address} />
          {isFiltered(address) && (
            <button
              type="button"
              onClick={() => {
                focusList();
                go(noFilters);
              }}
            >
              {text.clearFilters}
            </button>
          )}
        </div>
      </details>
      <SortMenu address={address} />
    </fieldset>
  );
}

const { search, tags: noTags, dateFrom, dateTo } = defaultAddress;
export const noFilters = { search, tags: noTags, dateFrom, dateTo };

function TagFilter({ tags }: { readonly tags: readonly string[] }) {
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const tag = String(new FormData(form).get("tag") ?? "");
    form.reset();
    if (tag === "" || tags.includes(tag)) return;
    // The field goes away with the last tag.
    if (tags.length + 1 === tagsMax) focusList();
    go({ tags: [...tags, tag] });
  };
  return (
    <>
      {tags.map((tag) => (
        <button
          key={tag}
          type="button"
          className="list-tag list-tag-active"
          aria-label={text.removeTag(formatName(tag))}
          onClick={() => {
            focusList();
            go({ tags: tags.filter((other) => other !== tag) });
          }}
        >
          <bdi>{formatName(tag)}</bdi> <span aria-hidden="true">×</span>
        </button>
      ))}
      {tags.length < tagsMax && (
        <form className="list-filter" onSubmit={onSubmit}>
          <input
            name="tag"
            className="list-tag-input"
            aria-label={text.tag}
            placeholder={text.tag}
          />
        </form>
      )}
    </>
  );
}

const sortOrders = ["asc", "desc"] as const;

function SortMenu({ address }: { readonly address: Address }) {
  return (
    <label className="list-filter">
      {text.sortBy}
      <select
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
    </label>
  );
}
