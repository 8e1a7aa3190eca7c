/** How the files of one folder are called: by a camera, a scanner, people, programs. */
import type { Random } from "./random.ts";
import { nameWords, rareWords } from "./words.ts";

/** Gives the name of a folder's file by its number, another for every number. */
export type NameStyle = (random: Random, number: number) => string;

/** The first ones more often. */
export const nameStyles: readonly NameStyle[] = [
  function camera(random, number) {
    const extension = number % 9 === 0 ? "mp4" : "jpg";
    return `IMG_${digits(1000 + number, 4)}${random.chance(0.1) ? "~2" : ""}.${extension}`;
  },
  function office(random, number) {
    const year = 2016 + random.below(11);
    const extension = random.pickSkewed(["pdf", "docx", "xlsx", "pptx", "odt", "PDF"]);
    return `${capital(words(random, " "))} ${year} (${number + 1}).${extension}`;
  },
  function accounts(random, number) {
    const extension = random.pickSkewed(["pdf", "xml", "csv"]);
    const about = `${random.pickSkewed(nameWords)}-${2016 + random.below(11)}`;
    return `${about}-${digits(number, 5)}.${extension}`;
  },
  function website(random, number) {
    const extension = random.pickSkewed(["png", "svg", "html", "css", "js", "webp", "json"]);
    return `${words(random, "-")}_${number}.${extension}`;
  },
  function phone(random, number) {
    const [month, day] = [digits(1 + random.below(12), 2), digits(1 + random.below(28), 2)];
    const date = `${2016 + random.below(11)}${month}${day}`;
    return `PXL_${date}_${digits(number, 6)}.${random.pickSkewed(["jpg", "heic", "mov"])}`;
  },
  function source(random, number) {
    const extension = random.pickSkewed(["ts", "md", "json", "test.ts", "py", "c", "h", "sql"]);
    const usual = usualFiles[number];
    return usual ?? `${words(random, "-")}${number}.${extension}`;
  },
  function scanner(random, number) {
    return `scan-${digits(number, 6)}.${random.chance(0.9) ? "pdf" : "tiff"}`;
  },
  function recordings(random, number) {
    const extension = random.pickSkewed(["mp3", "flac", "wav"]);
    return `Track ${digits(number + 1, 2)} - ${capital(words(random, " "))}.${extension}`;
  },
  function exports(random, number) {
    const extension = random.pickSkewed(["csv.gz", "tar.gz", "zip", "json", "sql.xz"]);
    return `export_${words(random, "_")}_${digits(number, 4)}.${extension}`;
  },
  function anyScript(random, number) {
    const text = random.pick([
      "写真",
      "見積書",
      "Фото",
      "Größenübersicht",
      "Señal",
      "📷 trip",
      "ΣΟΦΙΑΣ",
    ]);
    return `${text} ${number + 1}.${random.pickSkewed(["jpg", "pdf", "png"])}`;
  },
];

const usualFiles = ["README.md", "index.ts", "package.json", "LICENSE", ".gitignore", "main.c"];
const rareChance = 1 / 4000;

function words(random: Random, separator: string): string {
  const first = random.chance(rareChance) ? random.pick(rareWords) : random.pickSkewed(nameWords);
  return random.chance(0.5) ? first : `${first}${separator}${random.pickSkewed(nameWords)}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function digits(number: number, count: number): string {
  return `${number}`.padStart(count, "0");
}
