/** The field in the header that searches while people type. */
import "./search-field.css";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { textLengthMax } from "../address/address-limits.ts";
import { go, useAddress } from "../address/use-address.ts";
import { focusList, isListCovered } from "../focus/focus-list.ts";
import { useCharacterKeys } from "../keys/character-keys.ts";
import { formatName } from "../text/format.ts";
import { isComposing } from "../text/is-composing.ts";
import { strings } from "../text/strings.ts";
import { SearchTyping } from "./search-typing.ts";

const text = strings.uploads;

export function SearchField() {
  const { address } = useAddress();
  const { value, onType, onDone } = useTyping(
    address.search,
    `${address.bucket} ${address.folder}`,
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Escape" && value !== "") {
      event.preventDefault();
      onType("");
    }
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    onDone();
    focusList();
  };
  return (
    <search className="search-field">
      <svg className="search-icon" aria-hidden="true" viewBox="0 0 16 16">
        <path d="M11 11l3.5 3.5M12 7a5 5 0 1 1-10 0 5 5 0 0 1 10 0z" />
      </svg>
      <input
        type="search"
        className="search-input"
        aria-label={text.search}
        title={text.searchIn(formatName(address.folder))}
        placeholder={text.search}
        value={value}
        maxLength={textLengthMax}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        aria-keyshortcuts={useCharacterKeys() ? "/" : undefined}
        onChange={(event) => onType(event.target.value)}
        onBlur={onDone}
        onKeyDown={onKeyDown}
      />
    </search>
  );
}

/**
 * What the field shows: the text that is typed, else the search of the address. The first letter
 * adds an entry to the history, and the others change it: Back goes to what was before the search.
 */
function useTyping(search: string, place: string) {
  const [draft, setDraft] = useState<string>();
  const isTyping = useRef(false);
  const typing = useMemo(
    () =>
      new SearchTyping((value) => {
        // The panel would cover what is found.
        const closing = isListCovered() ? { upload: "" } : {};
        go({ search: value, view: "list", ...closing }, isTyping.current ? "replace" : "push");
        isTyping.current = true;
        setDraft(undefined);
      }),
    [],
  );
  // Another folder or bucket was opened meanwhile, or an earlier entry of the history: what waits
  // was meant for the former.
  useEffect(() => {
    void place;
    const stop = () => {
      typing.cancel();
      isTyping.current = false;
      setDraft(undefined);
    };
    window.addEventListener("popstate", stop);
    return () => {
      window.removeEventListener("popstate", stop);
      stop();
    };
  }, [typing, place]);
  return {
    value: draft ?? search,
    onType: (value: string) => {
      setDraft(value);
      typing.type(value);
    },
    onDone: () => {
      typing.flush();
      isTyping.current = false;
    },
  };
}
