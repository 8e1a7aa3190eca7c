/** Records hidden in every way. All contain one word, which must not appear in answers. */
import type { Line } from "../model/records.ts";
import { bucketLine, integrationIds, integrationLines } from "./tenants.ts";

export const hushedWord = "hushed";

const word = hushedWord;
const hiddenNotes = { integrationHidden: true, scopingIntegrationId: integrationIds.notes };
const hiddenScans = { integrationHidden: true, scopingIntegrationId: integrationIds.scans };

export const secretLines: readonly Line[] = [
  bucketLine("primary"),
  ...integrationLines,
  { integration: { integrationId: integrationIds.unknown, name: `${word} and used by nobody` } },
  { folder: { path: "/open", folderId: folderId(0) } },
  { folder: { path: `/${word}`, folderId: folderId(1), ...hiddenNotes } },
  { folder: { path: `/${word}/inside`, folderId: folderId(2), ...hiddenScans } },
  { folder: { path: `/open/${word} for nobody`, folderId: folderId(3), integrationHidden: true } },
  { folder: { path: "/beside", folderId: folderId(4) } },
  { upload: upload(1, "/open", "seen by all") },
  { upload: upload(2, "/open", "seen too") },
  { upload: { ...upload(3, "/open", `${word} by notes`), ...hiddenBy("notes") } },
  { upload: { ...upload(4, "/open", `${word} by scans`), ...hiddenBy("scans") } },
  { upload: { ...upload(5, "/open", `${word} by nobody`), integrationHidden: true } },
  { upload: upload(6, `/${word}`, `${word} in the hidden folder`) },
  { upload: upload(7, `/${word}/inside`, `${word} in both`) },
  { upload: upload(8, `/${word}/inside/deeper`, `${word} under both`) },
  { upload: upload(9, `/open/${word} for nobody`, `${word} for nobody`) },
  { upload: { ...upload(10, `/${word}`, `${word} twice`), ...hiddenBy("scans") } },
  { upload: upload(11, "/beside", "seen beside") },
  bucketLine("foreign"),
  { upload: upload(12, `/${word}`, `${word} of others`) },
];

function hiddenBy(name: keyof typeof integrationIds) {
  return { integrationHidden: true, integrationId: integrationIds[name] };
}

function upload(number: number, path: string, filename: string) {
  const time = `2026-01-01T00:00:${String(number).padStart(2, "0")}Z`;
  const times = { createdAt: time, updatedAt: time };
  const isHushed = filename.includes(word);
  const uploadId = isHushed ? `${word} ${number}` : `upload ${number}`;
  const tags = isHushed ? [word] : ["seen"];
  return { uploadId, path, filename, sizeBytes: 2 ** number, order: number, tags, ...times };
}

function folderId(number: number): string {
  return `f01de400-0000-4000-8000-00000000000${number}`;
}
