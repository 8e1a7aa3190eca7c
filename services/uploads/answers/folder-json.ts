/** Makes the JSON of a folder, as answers have it, from the columns of its row. */
import type { JsonOutput } from "../json/json-output.ts";
import { keyEscape, keySeparator } from "../model/tree-key.ts";
import type { BinaryRow } from "../postgres/binary-row.ts";
import { folderSettings } from "./members.ts";
import {
  addMember,
  addUuid,
  constants,
  integrationDocument,
  placesOf,
  quote,
} from "./row-values.ts";

/** The columns, in SQL over a folder `f`. */
const columns = {
  key: "f.tree_key",
  folderId: "f.folder_id",
  settings: "f.settings",
  scopingIntegrationId: "f.scoping_integration_id",
  scopingIntegration: integrationDocument("f.scoping_integration_id"),
  virtualFileIntegrationId: "f.virtual_file_integration_id",
  virtualFileIntegration: integrationDocument("f.virtual_file_integration_id"),
  integrationHidden: "f.integration_hidden",
} as const;

const place = placesOf(columns);

/**
 * The columns that `writeFolder` reads, in SQL over a folder `f`; the first is its tree key.
 *
 * @param isRead a condition in SQL, without which the ID is null.
 */
export function folderColumns({
  withIntegrations,
  isRead = "true",
}: {
  readonly withIntegrations: boolean;
  readonly isRead?: string;
}): string {
  const folderId = `case when ${isRead} then ${columns.folderId} end`;
  return Object.entries({ ...columns, folderId })
    .map(([name, sql]) => (name.endsWith("Integration") && !withIntegrations ? "null" : sql))
    .join(", ");
}

/** Their number. */
export const folderColumnCount = Object.keys(columns).length;

/** The same columns of a row that is no folder, but for the key. */
export const noFolderColumns = Object.keys(columns)
  .slice(1)
  .map(() => "null")
  .join(", ");

/** Whether the row has a folder, and not only its key. */
export function hasFolder(row: BinaryRow, first: number): boolean {
  return !row.isNull(first + place.folderId);
}

/** @param first where the columns begin in the row. */
export function writeFolder(row: BinaryRow, output: JsonOutput, first = 0): void {
  folderSettings.read(row, first + place.settings);
  output.add(parts.folderId);
  addUuid(output, row, first + place.folderId);
  output.add(parts.path);
  const start = row.start(first + place.key);
  const end = row.end(first + place.key);
  output.addPathOfKey(row.bytes, start, end);
  output.add(parts.parentPath);
  if (start < end) output.addPathOfKey(row.bytes, start, endOfParent(row.bytes, start, end));
  output.addByte(quote);
  folderSettings.add(output, "sharing");
  output.add(parts.scopingIntegrationId);
  addUuid(output, row, first + place.scopingIntegrationId);
  output.addByte(quote);
  addMember(output, parts.scopingIntegration, row, first + place.scopingIntegration);
  folderSettings.add(output, "virtualFile");
  output.add(parts.virtualFileIntegrationId);
  addUuid(output, row, first + place.virtualFileIntegrationId);
  output.addByte(quote);
  addMember(output, parts.virtualFileIntegration, row, first + place.virtualFileIntegration);
  folderSettings.add(output, "external");
  output.add(row.isTrue(first + place.integrationHidden) ? parts.isHidden : parts.isShown);
}

const parts = constants({
  folderId: '{"folderId":"',
  path: '","path":"',
  parentPath: '","parentPath":"',
  scopingIntegrationId: ',"scopingIntegrationId":"',
  virtualFileIntegrationId: ',"virtualFileIntegrationId":"',
  isHidden: ',"integrationHidden":true}',
  isShown: ',"integrationHidden":false}',
  scopingIntegration: ',"scopingIntegration":',
  virtualFileIntegration: ',"virtualFileIntegration":',
});

/** Where the key of the folder above ends. */
function endOfParent(key: Uint8Array, start: number, end: number): number {
  let last = start;
  for (let at = start; at < end; at++) {
    if (key[at] === keySeparator) last = at;
    else if (key[at] === keyEscape) at += 1;
  }
  return last;
}
