/** Limits the list to uploads created on some days. */
import { useId, useRef, useState } from "react";
import { type Address, isDay } from "../address/address.ts";
import { go } from "../address/use-address.ts";
import { strings } from "../text/strings.ts";

const text = strings.uploads;

export function DateFilter({ address }: { readonly address: Address }) {
  const { dateFrom, dateTo } = address;
  // A day that passes the other takes it along, but not for good while it is being typed: on the
  // way to 15, it is 1.
  const before = useRef<Pick<Address, "dateFrom" | "dateTo">>(undefined);
  const daysBefore = () => {
    before.current ??= { dateFrom, dateTo };
    return before.current;
  };
  const onLeave = () => {
    before.current = undefined;
  };
  return (
    <span className="list-filter">
      <DayField
        label={text.dateFrom}
        day={dateFrom}
        onChange={(day) => {
          const last = daysBefore().dateTo;
          go({ dateFrom: day, dateTo: last !== "" && day > last ? day : last });
        }}
        onLeave={onLeave}
      />
      <DayField
        label={text.dateTo}
        day={dateTo}
        onChange={(day) => {
          const first = daysBefore().dateFrom;
          go({ dateFrom: day !== "" && day < first ? day : first, dateTo: day });
        }}
        onLeave={onLeave}
      />
    </span>
  );
}

interface DayFieldProps {
  readonly label: string;
  /** Like `2026-11-23`, or empty. */
  readonly day: string;
  readonly onChange: (day: string) => void;
  readonly onLeave: () => void;
}

/** While 2026 is typed, the year is 2, 20 and 202, which nobody means. */
const yearTyped = /^[1-9]/;

function DayField({ label, day, onChange, onLeave }: DayFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState<string>();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="date"
        max="9999-12-31"
        value={draft ?? day}
        onChange={({ target: { value } }) => {
          const isComplete = value === "" || (yearTyped.test(value) && isDay(value));
          setDraft(isComplete ? undefined : value);
          if (isComplete) onChange(value);
        }}
        onBlur={() => {
          if (draft !== undefined && isDay(draft)) onChange(draft);
          setDraft(undefined);
          onLeave();
        }}
      />
    </>
  );
}
