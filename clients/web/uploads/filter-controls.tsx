/** Controls for common filters. They edit the query, and show what it says. */
import type { FormEvent } from "react";
import type { Address } from "../address/address.ts";
import { go } from "../address/use-address.ts";
import { filterValue, withFilter, withTag } from "../query/edit-query.ts";
import { type SuggestedValue, suggestedSizes, suggestedTypes } from "../query/suggested-values.ts";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { DateFilter } from "./date-filter.tsx";

const text = strings.uploads;

export function FilterControls({ query }: Pick<Address, "query">) {
  return (
    <div className="list-controls">
      <ChoiceFilter query={query} name="type" choices={suggestedTypes} />
      <ChoiceFilter query={query} name="size" choices={suggestedSizes} />
      <DateFilter query={query} name="created" />
      <DateFilter query={query} name="changed" />
      <TagField query={query} />
    </div>
  );
}

interface ChoiceFilterProps {
  readonly query: string;
  readonly name: "type" | "size";
  readonly choices: readonly SuggestedValue[];
}

function ChoiceFilter({ query, name, choices }: ChoiceFilterProps) {
  const value = filterValue(query, name);
  const isCommon = value === "" || choices.some((choice) => choice.value === value);
  return (
    <label className="list-filter">
      {text[name]}
      <select
        value={value}
        onChange={({ target }) => go({ query: withFilter(query, name, target.value) })}
      >
        <option value="">{text.any}</option>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.about}
          </option>
        ))}
        {!isCommon && <option value={value}>{formatName(value)}</option>}
      </select>
    </label>
  );
}

function TagField({ query }: Pick<Address, "query">) {
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const tag = String(new FormData(form).get("tag") ?? "");
    form.reset();
    go({ query: withTag(query, tag) });
  };
  return (
    <form className="list-filter" onSubmit={onSubmit}>
      <input name="tag" className="list-tag-input" aria-label={text.tag} placeholder={text.tag} />
    </form>
  );
}
