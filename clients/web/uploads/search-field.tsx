/** The field in the header that searches while people type. */
import "./search-field.css";
import { queryLengthMax, queryPartsMax } from "@stowage/api/query/parse-query";
import { type KeyboardEvent, useRef } from "react";
import { useAddress } from "../address/use-address.ts";
import { focusList } from "../focus/focus-list.ts";
import { useCharacterKeys } from "../keys/character-keys.ts";
import { readQuery } from "../query/page-query.ts";
import { SuggestionList, suggestionId, suggestionListId } from "../query/suggestion-list.tsx";
import { useSuggestions } from "../query/use-suggestions.ts";
import { formatName } from "../text/format.ts";
import { isComposing } from "../text/is-composing.ts";
import { strings } from "../text/strings.ts";
import { useSearchTyping } from "./use-search-typing.ts";

const text = strings.query;
const problemsId = "search-problems";

export function SearchField() {
  const { address } = useAddress();
  const place = `${address.bucket} ${address.folder}`;
  const { value, onType, onDone } = useSearchTyping(address.query, place);
  const field = useRef<HTMLInputElement>(null);
  const suggestions = useSuggestions({ field, query: value, onChange: onType });
  const { items, active } = suggestions;
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (suggestions.onKey(event)) return event.preventDefault();
    if (event.key === "Escape" && value !== "") {
      event.preventDefault();
      onType("");
    }
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    onDone();
    focusList();
  };
  // What is being typed is not wrong while there are suggestions for it.
  const problems = problemsOf(value, items.length > 0 ? suggestions.caret : undefined);
  return (
    <search className="search-field">
      <svg className="search-icon" aria-hidden="true" viewBox="0 0 16 16">
        <path d="M11 11l3.5 3.5M12 7a5 5 0 1 1-10 0 5 5 0 0 1 10 0z" />
      </svg>
      <input
        ref={field}
        {...comboboxProps(items.length > 0, active)}
        aria-describedby={problemsId}
        aria-invalid={problems.length > 0}
        className="search-input"
        aria-label={text.label}
        title={text.searchIn(formatName(address.folder))}
        placeholder={text.placeholder}
        value={value}
        maxLength={queryLengthMax}
        aria-keyshortcuts={useCharacterKeys() ? "/" : undefined}
        onChange={(event) => {
          onType(event.target.value);
          suggestions.show(false);
        }}
        onClick={() => suggestions.show(true)}
        onBlur={() => {
          suggestions.hide();
          onDone();
        }}
        onKeyDown={onKeyDown}
      />
      {items.length > 0 && (
        <SuggestionList items={items} active={active} onChoose={suggestions.choose} />
      )}
      <div id={problemsId} className="search-problems" role="status">
        {problems.map((problem) => (
          <p key={problem}>{problem}</p>
        ))}
      </div>
    </search>
  );
}

function comboboxProps(isOpen: boolean, active: number) {
  return {
    type: "text",
    role: "combobox",
    autoComplete: "off",
    spellCheck: false,
    enterKeyHint: "search",
    "aria-autocomplete": "list",
    "aria-expanded": isOpen,
    "aria-controls": suggestionListId,
    "aria-activedescendant": active >= 0 ? suggestionId(active) : undefined,
  } as const;
}

/** What of the query is not sent, and why. */
function problemsOf(query: string, caret: number | undefined): readonly string[] {
  const { wrong, hasTooMany } = readQuery(query);
  const problems = wrong
    .filter(({ end }) => end !== caret)
    .map(({ name, need }) => text.wrong(name, need));
  if (hasTooMany) problems.push(text.tooMany(queryPartsMax));
  return [...new Set(problems)];
}
