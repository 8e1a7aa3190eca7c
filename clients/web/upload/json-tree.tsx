/** JSON as a tree that unfolds. What is folded is not rendered: values may be large. */
import type { Upload } from "@stowage/api/svc/api/v1/upload_pb";
import { useState } from "react";
import { formatCount, formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";

type JsonObject = Upload["intentMetadata"][string];
type JsonValue = JsonObject[string];

/** Of one object or array. */
const shownMembersMax = 200;

export function JsonTree({ value }: { readonly value: JsonObject | readonly JsonValue[] }) {
  const members = Object.entries(value);
  const hidden = members.length - shownMembersMax;
  return (
    <ul className="upload-json">
      {members.slice(0, shownMembersMax).map(([name, member]) => (
        <li key={name}>
          <JsonMember name={name} value={member} />
        </li>
      ))}
      {hidden > 0 && <li>{strings.facts.more(formatCount(hidden))}</li>}
    </ul>
  );
}

function JsonMember({ name, value }: { readonly name: string; readonly value: JsonValue }) {
  const [isOpen, setIsOpen] = useState(false);
  const label = <bdi className="upload-json-name">{formatName(name)}</bdi>;
  if (typeof value !== "object" || value === null) {
    const text = typeof value === "string" ? formatName(value) : JSON.stringify(value);
    return (
      <>
        {label}: <bdi>{text}</bdi>
      </>
    );
  }
  const count = Object.keys(value).length;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {label} <span className="upload-json-count">{formatCount(count)}</span>
      </summary>
      {isOpen && <JsonTree value={value} />}
    </details>
  );
}
