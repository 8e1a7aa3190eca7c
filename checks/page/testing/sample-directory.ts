/** A directory that the bucket of the tests mirrors: every kind of preview, awkward names. */
import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { samplePdf, samplePng, sampleWav } from "./sample-media.ts";

/** A name that shows as `invoice-exe.pdf` where the override is obeyed. */
const overriddenName = "invoice-\u202efdp.exe";

/** More than a preview shows of a text. */
const longTextLines = 12_000;

/** The content of each file, by its path below the directory. */
export async function sampleFiles(): Promise<ReadonlyMap<string, Buffer>> {
  const texts: Record<string, string> = {
    "read me first.txt": "Everything here was made by a test.\n",
    "documents/minutes of June.txt": "Present: Ada, Grace.\nÜbrig: nichts.\n",
    "documents/long log.txt": Array.from(
      { length: longTextLines },
      (_, line) => `line ${line}: nothing unusual happened\n`,
    ).join(""),
    "documents/empty.txt": "",
    "names/تقرير سنوي.txt": "تقرير\n",
    "names/写真の一覧.txt": "写真\n",
    [`names/${overriddenName}`]: "not a program\n",
    "names/two\nlines\tand a tab.txt": "control characters\n",
    "names/<img src=x onerror=alert(1)>.txt": "<script>alert(1)</script>\n",
    "names/100% & more?#[1].txt": "punctuation\n",
    "web/hostile.html": "<script>parent.postMessage('ran', '*')</script><h1>hostile</h1>",
    "web/hostile.svg":
      '<svg xmlns="http://www.w3.org/2000/svg"><script>parent.ran = 1</script></svg>',
    "data/table.csv": "name,bytes\none,1\ntwo,2\n",
    "data/unknown.bin": "\u0000\u0001\u0002",
    "broken/not an image.png": "this is text",
    "broken/not a document.pdf": "this is text",
  };
  const media: Record<string, Buffer> = {
    "photos/harbour at dawn.png": samplePng(1),
    "photos/2026/Grüße aus Köln 🙂.png": samplePng(2),
    "photos/2026/ridge.png": samplePng(3),
    "photos/2026/summer/lake.png": samplePng(4),
    "photos/2025/first snow.png": samplePng(5),
    "documents/annual report.pdf": samplePdf(["Annual report", "All is well."]),
    "sound/tone.wav": sampleWav(440),
    "film/clip.webm": await readFile(join(import.meta.dirname, "clip.webm")),
  };
  const encoded = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)] as const);
  return new Map([...encoded, ...Object.entries(media)]);
}

/** The time of the first file. Each further one is an hour older. */
const firstTimeMs = Date.parse("2026-06-30T12:00:00Z");

/** Writes the files. Returns their contents, by the path below the directory. */
export async function makeSampleDirectory(directory: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = await sampleFiles();
  let timeMs = firstTimeMs;
  for (const [name, content] of files) {
    const file = join(directory, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    await utimes(file, timeMs / 1000, timeMs / 1000);
    timeMs -= 3_600_000;
  }
  return files;
}
