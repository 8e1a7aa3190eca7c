/** The suggestions that the search field shows, and the keys that choose one. */
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { type Suggestion, suggestionsAt } from "./suggestions.ts";

/** Where the caret is; undefined while no suggestions are shown. */
interface Place {
  readonly caret: number;
  /** Whether the reader asks for them, not only types. */
  readonly isAsked: boolean;
}

const steps = { ArrowDown: 1, ArrowUp: -1 };

interface Options {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly query: string;
  readonly onChange: (query: string) => void;
}

export function useSuggestions({ field, query, onChange }: Options) {
  const [place, setPlace] = useState<Place>();
  const [active, setActive] = useState(-1);
  const { start, items } =
    place === undefined
      ? { start: 0, items: [] }
      : suggestionsAt(query, place.caret, place.isAsked);
  const caretAfter = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (caretAfter.current === undefined) return;
    field.current?.setSelectionRange(caretAfter.current, caretAfter.current);
    caretAfter.current = undefined;
  });

  const show = (isAsked: boolean) => {
    const { selectionStart, selectionEnd } = field.current ?? {};
    setActive(-1);
    const isCaret = typeof selectionStart === "number" && selectionStart === selectionEnd;
    setPlace(isCaret ? { caret: selectionStart, isAsked } : undefined);
  };
  const choose = ({ text }: Suggestion) => {
    const caret = start + text.length;
    caretAfter.current = caret;
    setActive(-1);
    setPlace({ caret, isAsked: false });
    onChange(query.slice(0, start) + text + query.slice(place?.caret));
  };
  const move = (step: number) => {
    // Between the last and the first, none is active: Enter searches for what is typed.
    const count = items.length + 1;
    setActive(((active + 1 + step + count) % count) - 1);
  };
  /** Whether the key was for the suggestions. */
  const onKey = ({ key, altKey }: KeyboardEvent): boolean => {
    const item = items[active];
    if (key === "ArrowDown" && altKey) show(true);
    else if (items.length === 0) return false;
    else if (key === "Escape") setPlace(undefined);
    else if (key === "Enter" && item !== undefined) choose(item);
    else if (key in steps) move(steps[key as keyof typeof steps]);
    else return false;
    return true;
  };
  return {
    items,
    active,
    caret: place?.caret,
    show,
    hide: () => setPlace(undefined),
    choose,
    onKey,
  };
}
