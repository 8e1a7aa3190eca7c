import { posix } from "node:path";
import type { RepositoryFile } from "./repository.ts";

/**
 * One line for every link of a Markdown file to a file, folder or heading that does not exist.
 *
 * @param paths of files that are no texts, such as pictures
 */
export function brokenLinks(
  files: readonly RepositoryFile[],
  paths: readonly string[] = [],
): readonly string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const others = new Set([...paths, ...files.flatMap(({ path }) => foldersOf(path))]);
  return files
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap(({ path, text }) =>
      linksOf(text)
        .filter((link) => !leadsSomewhere(path, link, texts, others))
        .map((link) => `${path}: ${link}`),
    );
}

function leadsSomewhere(
  path: string,
  link: string,
  texts: ReadonlyMap<string, string>,
  others: ReadonlySet<string>,
): boolean {
  if (/^[a-z]+:/.test(link)) return true;
  const [target = "", heading] = link.split("#", 2);
  const file = target === "" ? path : posix.join(posix.dirname(path), target).replace(/\/$/, "");
  const text = texts.get(file);
  if (text === undefined) return others.has(file) && heading === undefined;
  return heading === undefined || headingsOf(text).includes(heading);
}

function linksOf(text: string): string[] {
  const prose = withoutCode(text);
  const inline = prose.matchAll(/\]\(\s*<?([^)\s>]+)/g);
  const references = prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm);
  return [...inline, ...references].map((match) => match[1] as string);
}

/** The anchors that GitHub makes of headings: lower case, no punctuation, `-` for a space. */
function headingsOf(text: string): string[] {
  const headings = withoutCode(text, "fences only").matchAll(/^#{1,6}\s+(.+)$/gm);
  return Array.from(headings, (match) =>
    (match[1] as string)
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
}

function withoutCode(text: string, extent?: "fences only"): string {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  return extent === undefined ? prose.replace(/`[^`\n]*`/g, "") : prose;
}

function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index).join("/") || ".");
}
