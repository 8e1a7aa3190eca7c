/** What the search field shows, and when it is searched for. */
import { useEffect, useMemo, useRef, useState } from "react";
import { go } from "../address/use-address.ts";
import { isListCovered } from "../focus/focus-list.ts";
import { SearchTyping } from "./search-typing.ts";

/**
 * The field shows the text that is typed, else the query of the address. The first letter adds an
 * entry to the history, and the others change it: Back goes to what was before the search.
 */
export function useSearchTyping(query: string, place: string) {
  const [draft, setDraft] = useState<string>();
  const isTyping = useRef(false);
  const typing = useMemo(
    () =>
      new SearchTyping((value) => {
        // The panel would cover what is found.
        const closing = isListCovered() ? { upload: "" } : {};
        go({ query: value, view: "list", ...closing }, isTyping.current ? "replace" : "push");
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
    value: draft ?? query,
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
