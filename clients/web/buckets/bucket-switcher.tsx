/** The bucket that is shown, and the list of all to choose another from. */
import "./bucket-switcher.css";
import { useRef, useState } from "react";
import { defaultAddress } from "../address/address.ts";
import { AddressLink } from "../address/address-link.tsx";
import { formatCount, formatDateTime, formatName, formatSize } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import type { Bucket, Source } from "./bucket.ts";
import { isInTrouble, stateTextOf } from "./source-states.ts";

/** With more buckets than these there is a field to filter them. */
const unfilteredBucketsMax = 12;

interface Props {
  readonly buckets: readonly Bucket[];
  /** Undefined if the address names a bucket that does not exist. */
  readonly bucket: Bucket | undefined;
}

export function BucketSwitcher({ buckets, bucket }: Props) {
  const popover = useRef<HTMLDivElement>(null);
  const [filter, setFilter] = useState("");
  const wanted = filter.trim();
  const shown = buckets.filter(({ hostname }) => hostname.includes(wanted.toLowerCase()));
  return (
    <>
      <button
        type="button"
        className="bucket-button"
        popoverTarget="bucket-list"
        aria-label={`${strings.buckets.label}: ${bucket?.hostname ?? ""}`}
      >
        <bdi>{bucket?.hostname ?? strings.buckets.label}</bdi>
        <span aria-hidden="true">▾</span>
      </button>
      <div
        ref={popover}
        id="bucket-list"
        className="bucket-list"
        popover="auto"
        onToggle={({ newState }) => newState === "closed" && setFilter("")}
      >
        {buckets.length > unfilteredBucketsMax && (
          <input
            type="search"
            aria-label={strings.buckets.filter}
            placeholder={strings.buckets.filter}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        )}
        <div role="status">
          {shown.length === 0 && wanted !== "" && (
            <p>{strings.buckets.noMatch(formatName(wanted))}</p>
          )}
        </div>
        <ul>
          {shown.map((one) => (
            <li key={one.bucketId}>
              <AddressLink
                className="bucket-item"
                change={{ ...defaultAddress, bucket: one.hostname }}
                aria-current={one === bucket ? "true" : undefined}
                onClick={() => popover.current?.hidePopover()}
              >
                <bdi className="bucket-name">{one.hostname}</bdi>
                <span className="bucket-detail">
                  {strings.buckets.totals(
                    formatCount(one.uploadCount),
                    one.uploadCount === 1,
                    formatSize(one.sizeBytes),
                  )}
                </span>
                {one.sources.map((source) => (
                  <SourceLine
                    key={source.sourceId}
                    source={source}
                    isNamed={one.sources.length > 1}
                  />
                ))}
              </AddressLink>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

interface SourceLineProps {
  readonly source: Source;
  /** Whether the bucket has other sources, too. */
  readonly isNamed: boolean;
}

function SourceLine({ source, isNamed }: SourceLineProps) {
  const state = stateTextOf(source);
  const time = formatDateTime(source.completeAsOfMs);
  const { lookedAgain, differed } = source;
  return (
    <span className="bucket-detail">
      {isNamed && (
        <>
          <bdi>{formatName(source.name)}</bdi>:{" "}
        </>
      )}
      {state !== "" && (
        <span className={isInTrouble(source) ? "bucket-trouble" : undefined}>{state}. </span>
      )}
      <span className="bucket-time">{strings.buckets.completeAsOf(time)}</span>
      {lookedAgain > 0 && (
        <>
          {". "}
          <span className={differed > 0 ? "bucket-trouble" : "bucket-time"}>
            {strings.buckets.lookedAgain(formatCount(differed), formatCount(lookedAgain))}
          </span>
        </>
      )}
    </span>
  );
}
