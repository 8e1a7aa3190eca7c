/** The names in the data sets. Earlier words of a list are used more often. */
import type { Random } from "./random.ts";

/**
 * How the files of one folder are named: by a camera, a scanner, people, programs.
 * Gives the name of a folder's file by its number, another for every number.
 */
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

export const folderWords: readonly string[] = [
  ..."archive projects clients photos documents assets shared backup exports invoices".split(" "),
  ..."reports design marketing events campaigns products contracts research training".split(" "),
  ..."music video src lib test docs images fonts icons styles data logs releases".split(" "),
  ..."Spring Summer Autumn Winter aurora borealis cedar delta falcon harbour indigo".split(" "),
  ..."juniper lagoon meadow nimbus orchid quartz raven sierra tundra umbra willow".split(" "),
  ...["New folder", "To sort", "Old versions", "Büro", "Übersicht", "写真", "Año nuevo", "résumés"],
];

export const nameWords: readonly string[] = [
  ..."report invoice summary contract notes minutes proposal budget schedule plan".split(" "),
  ..."draft review agenda letter receipt offer statement overview checklist manual".split(" "),
  ..."poster banner logo cover header portrait landscape sketch mockup storyboard".split(" "),
  ..."harbour lighthouse meadow forest bridge tower garden station market island".split(" "),
  ..."annual quarterly weekly final revised signed internal public customer supplier".split(" "),
  ..."autumn winter sunrise midnight festival concert journey wedding birthday picnic".split(" "),
  ..."übersicht größe café señor øresund naïve".split(" "),
];

/** Found in few names: one in some thousands has one of them. */
const rareWords: readonly string[] = [
  ..."quokka axolotl zeppelin kumquat obelisk vexillology fjord xylophone".split(" "),
];

export const tagWords: readonly string[] = [
  ..."approved draft public internal archive 2026 2025 print web social".split(" "),
  ..."press legal finance urgent reviewed outdated licensed team-a team-b customer".split(" "),
  ..."nature people city night product event logo raw edited scanned".split(" "),
  ..."blue red green black-and-white portrait landscape square panorama aerial macro".split(" "),
];

export const usernames: readonly string[] = [
  ..."amelie bogdan chiara dmitri esperanza fatima grzegorz hannah ines jonas".split(" "),
  ..."katarina liam mehmet nadia oskar priya quentin rosa soren tomasz".split(" "),
  ..."ulrike valentin wanda xenia yusuf zofia anders beatriz cedric daria".split(" "),
];
