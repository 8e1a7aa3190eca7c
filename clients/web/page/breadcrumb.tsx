import "./breadcrumb.css";
import { useState } from "react";
import { flushSync } from "react-dom";
import { openingOf } from "../address/address.ts";
import { AddressLink } from "../address/address-link.tsx";
import { useAddress } from "../address/use-address.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { crumbsOf, nameOf } from "../folders/folder-path.ts";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";

export function Breadcrumb({ bucket }: { readonly bucket: Bucket }) {
  const { folder } = useAddress().address;
  const { first, hidden, last } = crumbsOf(folder);
  const [shownFor, setShownFor] = useState("");
  const isWhole = shownFor === folder;
  const crumb = (path: string) => (
    <li key={path}>
      <AddressLink
        change={openingOf(path)}
        aria-current={path === folder ? "page" : undefined}
        title={formatName(nameOf(path))}
      >
        <bdi>{path === "/" ? bucket.hostname : formatName(nameOf(path))}</bdi>
      </AddressLink>
    </li>
  );
  return (
    <nav className="breadcrumb" aria-label={strings.folders.path}>
      <ol>
        {first.map(crumb)}
        {hidden.length > 0 && !isWhole && (
          <li>
            <button
              type="button"
              aria-label={strings.folders.hiddenSegments}
              onClick={({ currentTarget }) => {
                const before = currentTarget.closest("li")?.previousElementSibling;
                flushSync(() => setShownFor(folder));
                // The button is gone: the first folder in its place gets the focus.
                before?.nextElementSibling?.querySelector("a")?.focus();
              }}
            >
              …
            </button>
          </li>
        )}
        {isWhole && hidden.map(crumb)}
        {last.map(crumb)}
      </ol>
    </nav>
  );
}
