/** What is shown instead of rows: that there are none, and what to do then. */
import { type Address, defaultAddress } from "../address/address.ts";
import { go } from "../address/use-address.ts";
import { messageOf, reasonOf } from "../api/call-error.ts";
import { focusList } from "../focus/focus-list.ts";
import { RetryButton } from "../focus/retry-button.tsx";
import { filterHint } from "../query/filter-hint.ts";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { isDeep, isSearch } from "./list-query.ts";
import type { ShownList } from "./use-list.ts";

const text = strings.uploads;

/** Nothing was found. */
export function EmptyMessage({ address, level }: Pick<ShownList, "address" | "level">) {
  if (!isSearch(address)) {
    const isUnderUseful = !isDeep(address) && (level?.totals.uploadCount ?? 0) > 0;
    return (
      <div className="list-message" role="status">
        <p>{isUnderUseful ? text.emptyHere : text.emptyFolder}</p>
        {isUnderUseful && <Way change={{ isRecursive: true }}>{text.showUnder}</Way>}
      </div>
    );
  }
  const { folder, query } = address;
  const isEverywhere = isDeep(address) && folder === "/";
  const path = formatName(folder);
  const deepPlace = folder === "/" ? text.wholeBucket : text.placeUnder(path);
  const place = isDeep(address) ? deepPlace : path;
  return (
    <div className="list-message" role="status">
      <p>{text.noMatch}</p>
      <p className="list-hint">{text.searchedFor(formatName(query), place)}</p>
      <HintButton query={query} />
      {!isEverywhere && (
        <Way change={{ folder: defaultAddress.folder, isRecursive: true }}>
          {text.searchEverywhere}
        </Way>
      )}
      <Way change={{ query: "" }}>{text.clearSearch}</Way>
    </div>
  );
}

/** Most entries of a list that offers another search. */
const fewEntriesMax = 3;

/** Above a list in which hardly anything was found: what it may have been meant to be. */
export function FewFound({ entries, address }: Pick<ShownList, "entries" | "address">) {
  const { query } = address;
  if (entries.length > fewEntriesMax || filterHint(query) === undefined) return null;
  return (
    <div className="list-few">
      <HintButton query={query} />
    </div>
  );
}

/** Searches for filters instead of the words that look like them. */
function HintButton({ query }: Pick<Address, "query">) {
  const hint = filterHint(query);
  return (
    hint !== undefined && <Way change={{ query: hint }}>{text.searchFor(formatName(hint))}</Way>
  );
}

function Way({
  change,
  children,
}: {
  readonly change: Partial<Address>;
  readonly children: string;
}) {
  return (
    <button
      type="button"
      onClick={() => {
        focusList();
        go(change);
      }}
    >
      {children}
    </button>
  );
}

/** The list, or more of it, could not be read. */
export function ErrorMessage({
  shown,
  isMore,
}: {
  readonly shown: ShownList;
  readonly isMore: boolean;
}) {
  const { error, reader } = shown;
  return (
    <div className={isMore ? "list-error" : "list-message"} role="alert">
      <p>{isMore ? text.moreFailed : text.failed}</p>
      <p className="list-hint">{hintOf(error)}</p>
      <RetryButton onRetry={() => reader.retry()} />
    </div>
  );
}

function hintOf(error: unknown): string {
  return reasonOf(error) === "LIST_TOO_EXPENSIVE" ? text.tooExpensive : messageOf(error);
}
