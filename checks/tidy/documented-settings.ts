/** The settings tables of `docs/settings.md`, made from the `--help` of the programs. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "./repository.ts";

/** The document with the tables. */
export const documentPath = "docs/settings.md";

const programs = [
  { title: "The uploads service", path: "services/uploads/main.ts" },
  { title: "The authorisation service", path: "services/authorisation/main.ts" },
  { title: "The page's server", path: "services/web/main.ts" },
  {
    title: "`import`, `buckets`, `export`, `check`",
    path: "services/uploads/commands/import.ts",
  },
  { title: "`serve sync`", path: "services/uploads/commands/sync.ts" },
  { title: "`sources`", path: "services/uploads/commands/sources.ts" },
  {
    title: "`clients`, `organisations`, `sessions`, `consents`, `grants`, `tokens`, `audit`",
    path: "services/authorisation/commands/clients.ts",
  },
  {
    title: "`accounts`, `service-accounts`",
    path: "services/authorisation/commands/service-accounts.ts",
  },
  { title: "`keys`", path: "services/authorisation/commands/keys.ts" },
];

/** The tables of all programs, as Markdown. */
export async function settingsTables(): Promise<string> {
  const tables = await Promise.all(
    programs.map(async ({ title, path }) => `### ${title}\n\n${tableOf(await helpOf(path))}`),
  );
  return `\n${tables.join("\n")}\n`;
}

/** The document with its tables replaced by the given ones. */
export function withTables(document: string, tables: string): string {
  const place = /(?<=<!-- settings:[^>]*-->\n).*?(?=<!-- \/settings -->)/s;
  if (!place.test(document)) throw new Error(`Cannot find the settings in ${documentPath}`);
  return document.replace(place, () => tables);
}

async function helpOf(path: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, path), "--help"]);
  return stdout;
}

function tableOf(help: string): string {
  const unwrapped = help.replace(/\n {4,}/g, " ");
  const rows = Array.from(
    unwrapped.matchAll(/^ {2}([A-Z][A-Z_]+) +(.+)$/gm),
    ([, name, text = ""]) => {
      const [, meaning, remark = ""] =
        /^(.*?)(?: \(((?:default: |optional|required)[^)]*)\))?$/.exec(text) ?? [];
      const fallback = remark.startsWith("default: ")
        ? `\`${remark.slice("default: ".length)}\``
        : remark;
      return `| \`${name}\` | ${fallback} | ${meaning} |\n`;
    },
  );
  if (rows.length === 0) throw new Error(`Cannot find settings in this help text: ${help}`);
  return `| Setting | Default | Meaning |\n| --- | --- | --- |\n${rows.join("")}`;
}
