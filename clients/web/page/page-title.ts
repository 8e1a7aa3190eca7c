import { useEffect } from "react";
import type { Address } from "../address/address.ts";
import { nameOf } from "../folders/folder-path.ts";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";

/** The title of the tab: what is special comes first, because tabs show only the beginning. */
export function titleOf({ folder, query }: Address, hostname: string): string {
  const name = formatName(nameOf(folder));
  const place = name === "" ? hostname : name;
  const subject = query === "" ? place : strings.page.searchResults(formatName(query), place);
  return Array.from(new Set([subject, hostname, strings.page.title]))
    .filter((part) => part !== "")
    .join(" · ");
}

export function useTitle(address: Address, hostname: string): void {
  const title = titleOf(address, hostname);
  useEffect(() => {
    document.title = title;
  }, [title]);
}
