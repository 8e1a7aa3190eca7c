/** The result of an import of NDJSON lines, as plain arrays. */
import { completeFolder, completeIntegration, completeUpload } from "./complete.ts";
import type { Folder, Integration, Upload } from "./messages.ts";
import { withAncestors } from "./path.ts";

interface BucketLine {
  bucketId: string;
  hostname: string;
  organisationId: string;
  primary?: boolean;
}

/** One line of NDJSON. */
export type Line =
  | { bucket: BucketLine }
  | { integration: Partial<Integration> }
  | { folder: Partial<Folder> }
  | { upload: Partial<Upload> };

export interface Bucket extends BucketLine {
  integrations: Integration[];
  folders: Folder[];
  uploads: Upload[];
}

/** Every line belongs to the last bucket above it. IDs must be unique. */
export function readRecords(lines: readonly Line[]): Bucket[] {
  const sections: { bucket: BucketLine; lines: Line[] }[] = [];
  for (const line of lines) {
    if ("bucket" in line) sections.push({ bucket: line.bucket, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map((section) => readBucket(section.bucket, section.lines));
}

function readBucket(bucket: BucketLine, lines: readonly Line[]): Bucket {
  const integrations = lines.flatMap((line) =>
    "integration" in line ? [completeIntegration(line.integration)] : [],
  );
  const uploads = lines.flatMap((line) =>
    "upload" in line ? [completeUpload(line.upload, integrations)] : [],
  );
  const given = lines.flatMap((line) =>
    "folder" in line ? [completeFolder(line.folder, integrations)] : [],
  );
  return { ...bucket, integrations, uploads, folders: withImpliedFolders(given, uploads) };
}

/** Adds the folders that uploads and other folders imply. */
function withImpliedFolders(given: readonly Folder[], uploads: readonly Upload[]): Folder[] {
  const folders = new Map(given.map((folder) => [folder.path, folder]));
  for (const { path } of [...given, ...uploads]) {
    for (const implied of withAncestors(path)) {
      if (!folders.has(implied)) folders.set(implied, completeFolder({ path: implied }, []));
    }
  }
  return [...folders.values()];
}
