/** Shared by the commands of sources. */
import type { SettingsTable } from "@stowage/process";
import { InvalidArgumentError } from "commander";
import {
  type CommandContext,
  settingsTable as commonSettings,
} from "../../command-line/program.ts";
import { deletedDataSetting, leaseSetting } from "../../sources/schedule/settings.ts";

/** The settings of the commands of sources. */
export const settingsTable = {
  ...commonSettings,
  LEASE_MS: leaseSetting,
  DELETED_DATA_DAYS: deletedDataSetting,
} satisfies SettingsTable;

/** What `sources.ts` passes to each command. */
export type SourcesContext = CommandContext<typeof settingsTable>;

const unitsMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const durationMinMs = 1000;
const durationMaxMs = 366 * 86_400_000;

/** Parses `30s`, `15m`, `6h`, `1d` to milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const durationMs = Number(count) * (unitsMs[unit ?? ""] ?? Number.NaN);
  if (durationMs >= durationMinMs && durationMs <= durationMaxMs) return durationMs;
  throw new InvalidArgumentError("Need a time such as 30s, 15m, 6h or 1d; from 1s to 366d.");
}
