import { useEffect, useState } from "react";
import { textLengthMax } from "../address/address-limits.ts";
import { go, useAddress } from "../address/use-address.ts";
import { isComposing } from "../text/is-composing.ts";
import { strings } from "../text/strings.ts";

/** Calls begin only when nothing was typed for this long. */
const pauseMs = 150;

/** Writes what is typed to the address. Back and Forward change the text too. */
export function FolderFilter() {
  const { address } = useAddress();
  const [typed, setTyped] = useState(address.folderFilter);
  const [written, setWritten] = useState(address.folderFilter);
  if (written !== address.folderFilter) {
    setWritten(address.folderFilter);
    setTyped(address.folderFilter);
  }
  useEffect(() => {
    if (typed === written) return;
    const timer = setTimeout(() => {
      setWritten(typed);
      go({ folderFilter: typed }, "replace");
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed, written]);
  return (
    <input
      className="folders-filter"
      type="search"
      aria-label={strings.folders.filter}
      placeholder={strings.folders.filter}
      maxLength={textLengthMax}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || typed === "" || isComposing(event.nativeEvent)) return;
        event.preventDefault();
        setTyped("");
      }}
    />
  );
}
