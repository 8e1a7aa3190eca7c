/** Limits the list to uploads created or changed on some days. */
import { useRef, useState } from "react";
import { go } from "../address/use-address.ts";
import { type Days, daysOf, isDay, type TimeFilterName, withDays } from "../query/days.ts";
import { strings } from "../text/strings.ts";

const text = strings.uploads;

interface Props {
  readonly query: string;
  readonly name: TimeFilterName;
}

export function DateFilter({ query, name }: Props) {
  const { first, last } = daysOf(query, name);
  const label = text[name];
  // A day that passes the other takes it along, but not for good while it is being typed: on the
  // way to 15, it is 1.
  const before = useRef<Days>(undefined);
  const daysBefore = () => {
    before.current ??= { first, last };
    return before.current;
  };
  const change = (days: Days) => go({ query: withDays(query, name, days) });
  const onLeave = () => {
    before.current = undefined;
  };
  return (
    <span className="list-filter" title={text.daysAreUtc}>
      <span aria-hidden="true">{label}</span>
      <DayField
        label={text.firstDay(label)}
        day={first}
        onChange={(day) => {
          const { last: end } = daysBefore();
          change({ first: day, last: end !== "" && day > end ? day : end });
        }}
        onLeave={onLeave}
      />
      <span aria-hidden="true">{text.to}</span>
      <DayField
        label={text.lastDay(label)}
        day={last}
        onChange={(day) => {
          const { first: begin } = daysBefore();
          change({ first: day !== "" && day < begin ? day : begin, last: day });
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
  const [draft, setDraft] = useState<string>();
  return (
    <input
      type="date"
      aria-label={label}
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
  );
}
