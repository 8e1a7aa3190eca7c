/** Limits the list to uploads created on some days. */
import { useId, useState } from "react";
import type { Address } from "../address/address.ts";
import { go } from "../address/use-address.ts";
import { strings } from "../text/strings.ts";

const text = strings.uploads;

export function DateFilter({ address }: { readonly address: Address }) {
  const { dateFrom, dateTo } = address;
  return (
    <span className="list-filter">
      <DayField
        label={text.dateFrom}
        day={dateFrom}
        max={dateTo}
        onChange={(day) => go({ dateFrom: day })}
      />
      <DayField
        label={text.dateTo}
        day={dateTo}
        min={dateFrom}
        onChange={(day) => go({ dateTo: day })}
      />
    </span>
  );
}

interface DayFieldProps {
  readonly label: string;
  /** Like `2026-11-23`, or empty. */
  readonly day: string;
  readonly min?: string;
  readonly max?: string;
  readonly onChange: (day: string) => void;
}

/** While 2026 is typed, the year is 2, 20 and 202, which nobody means. */
const yearTyped = /^[1-9]/;

function DayField({ label, day, min, max, onChange }: DayFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState<string>();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="date"
        value={draft ?? day}
        min={min || undefined}
        max={max || undefined}
        onChange={({ target: { value } }) => {
          const isComplete = value === "" || yearTyped.test(value);
          setDraft(isComplete ? undefined : value);
          if (isComplete) onChange(value);
        }}
        onBlur={() => {
          if (draft !== undefined) onChange(draft);
          setDraft(undefined);
        }}
      />
    </>
  );
}
