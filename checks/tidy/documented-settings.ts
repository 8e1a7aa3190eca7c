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
    title: "`accounts`",
    path: "services/authorisation/commands/accounts.ts",
  },
  { title: "`keys`", path: "services/authorisation/commands/keys.ts" },
];

/** The tables of all programs, as Markdown. Each setting is explained once, then only named. */
export async function settingsTables(): Promise<string> {
  const helps = await Promise.all(programs.map(({ path }) => helpOf(path)));
  const explained = new Map<string, Setting>();
  const sections = programs.map(({ title }, index) => {
    const settings = settingsIn(helps[index]!);
    const isNew = ({ name, meaning }: Setting) => explained.get(name)?.meaning !== meaning;
    const [own, known] = [settings.filter(isNew), settings.filter((setting) => !isNew(setting))];
    const names = known.map((setting) => nameOf(setting, explained.get(setting.name)!));
    for (const setting of own) explained.set(setting.name, setting);
    const asAbove = names.length > 0 ? [`As above: ${names.join(", ")}.`] : [];
    const table = own.length > 0 ? [tableOf(own)] : [];
    return [`### ${title}`, ...asAbove.map(brokenLines), ...table].join("\n\n");
  });
  return `\n${sections.join("\n\n")}\n\n`;
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

interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
}

function settingsIn(help: string): Setting[] {
  const unwrapped = help.replace(/\n {4,}/g, " ");
  const settings = Array.from(
    unwrapped.matchAll(/^ {2}([A-Z][A-Z_]+) +(.+)$/gm),
    ([, name = "", text = ""]) => {
      const [, meaning = "", remark = ""] =
        /^(.*?)(?: \(((?:default: |optional|required)[^)]*)\))?$/.exec(text) ?? [];
      const fallback = remark.startsWith("default: ")
        ? `\`${remark.slice("default: ".length)}\``
        : remark;
      return { name, fallback, meaning };
    },
  );
  if (settings.length === 0) throw new Error(`Cannot find settings in this help text: ${help}`);
  return settings;
}

/** The name of a setting that is explained above, with its default if that is another one. */
function nameOf({ name, fallback }: Setting, above: Setting): string {
  return fallback === above.fallback ? `\`${name}\`` : `\`${name}\` (${fallback})`;
}

function tableOf(settings: readonly Setting[]): string {
  const rows = settings.map(({ name, fallback, meaning }) => {
    return `| \`${name}\` | ${fallback} | ${meaning} |`;
  });
  return ["| Setting | Default | Meaning |", "| --- | --- | --- |", ...rows].join("\n");
}

/** The text in lines of at most 100 columns. */
function brokenLines(text: string): string {
  return text.replace(/(?=.{101})(.{1,100}) /g, "$1\n");
}
