import { formatThings } from "../../model/format.ts";

/** How many entries of a directory no listing has: those that are no files, and excluded ones. */
export interface SkippedEntries {
  symbolicLinks: number;
  /** Sockets, devices, pipes. */
  specialFiles: number;
  /** Paths of `WalkOptions.excluded` that exist. */
  excluded: number;
}

/** Remarks for the summary of an import or a run. */
export function remarksOnSkipped(skipped: SkippedEntries): string[] {
  const { symbolicLinks, specialFiles, excluded } = skipped;
  const remarks: [count: number, text: string][] = [
    [symbolicLinks, `${formatThings(symbolicLinks, "symbolic link")} not followed`],
    [
      specialFiles,
      `${formatThings(specialFiles, "socket or device", "sockets and devices")} left out`,
    ],
    [excluded, `${formatThings(excluded, "file or directory", "files or directories")} excluded`],
  ];
  return remarks.filter(([count]) => count > 0).map(([, text]) => text);
}
