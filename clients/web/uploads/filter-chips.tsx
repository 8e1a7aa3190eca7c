/** The filters of the query, each with a button that removes it. */
import { go } from "../address/use-address.ts";
import { focusList } from "../focus/focus-list.ts";
import { withoutPart } from "../query/edit-query.ts";
import { readQuery } from "../query/page-query.ts";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";

export function FilterChips({ query }: { readonly query: string }) {
  return readQuery(query).filters.map((part) => (
    <button
      key={part.start}
      type="button"
      className="list-tag list-tag-active"
      title={formatName(part.written)}
      aria-label={strings.uploads.removeFilter(formatName(part.written))}
      onClick={() => {
        focusList();
        go({ query: withoutPart(query, part) });
      }}
    >
      <bdi>{formatName(part.written)}</bdi>
      <span aria-hidden="true">×</span>
    </button>
  ));
}
