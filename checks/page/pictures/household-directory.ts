/** The files of a household, of realistic names, sizes and times, without content but one. */
import { mkdir, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The file with content: a picture. */
export const photo = {
  folder: "/Photos/2024/Summer in Norway",
  filename: "Geirangerfjord.jpg",
} as const;

/** The names and sizes in MB of each folder's files, and the day of the first file. */
const folders: Record<string, { day: string; files: Record<string, number> }> = {
  [photo.folder]: {
    day: "2024-07-13",
    files: {
      "Bergen fish market.jpg": 4.2,
      "Ferry to Balestrand.jpg": 3.8,
      [photo.filename]: 5.1,
      "Hardangervidda, day 2.jpg": 6.3,
      "Lighthouse at Alnes.jpg": 3.4,
      "Midnight sun, Lofoten.jpg": 4.7,
      "Preikestolen panorama.jpg": 18.9,
      "Red cabins in Reine.jpg": 5.6,
      "Route by car.gpx": 0.4,
      "Stave church, Borgund.jpg": 4.4,
      "Travel diary.docx": 1.3,
      "Waterfall.mp4": 214,
    },
  },
  "/Photos/2024/Emma's birthday": { day: "2024-04-20", files: series("IMG_", ".jpg", 3107, 64) },
  "/Photos/2024/Garden": { day: "2024-05-02", files: series("IMG_", ".jpg", 3290, 28) },
  "/Photos/2025/Alps by train": { day: "2025-08-09", files: series("DSC", ".jpg", 5012, 143) },
  "/Photos/2025/Grandma's 80th": { day: "2025-11-01", files: series("DSC", ".jpg", 5871, 86) },
  "/Photos/2026/Lisbon": { day: "2026-03-14", files: series("DSC", ".jpg", 6120, 97) },
  "/Documents/Tax/2024": {
    day: "2025-03-02",
    files: {
      "Tax return 2024.pdf": 1.8,
      "Invoice 2024-02 dentist.pdf": 0.3,
      "Invoice 2024-09 roof repair.pdf": 0.6,
      "Donations 2024.xlsx": 0.1,
    },
  },
  "/Documents/Tax/2025": {
    day: "2026-02-17",
    files: {
      "Tax return 2025.pdf": 2.1,
      "Invoice 2025-05 heat pump.pdf": 0.9,
      "Invoice 2025-11 glasses.pdf": 0.2,
      "Salary statement 2025.pdf": 0.4,
    },
  },
  "/Documents/House": {
    day: "2023-10-05",
    files: {
      "Floor plan.pdf": 7.2,
      "Insurance policy.pdf": 2.4,
      "Invoice 2023-10 windows.pdf": 0.5,
      "Purchase contract.pdf": 11.6,
    },
  },
  "/Documents/Health": { day: "2025-01-20", files: { "Vaccinations.pdf": 0.7 } },
  "/Music/Choir": { day: "2025-12-19", files: series("Christmas concert ", ".flac", 1, 14) },
  "/Films": {
    day: "2022-06-11",
    files: { "Our wedding.mkv": 1940, "Emma's first steps.mp4": 322 },
  },
  "/Backups/Laptop": {
    day: "2026-01-04",
    files: { "2026-01 home.tar.zst": 880, "2026-04 home.tar.zst": 910 },
  },
};

/** Writes the files below the directory. */
export async function makeHouseholdDirectory(directory: string, picture: Buffer): Promise<void> {
  for (const [folder, { day, files }] of Object.entries(folders)) {
    await mkdir(join(directory, folder), { recursive: true });
    let timeMs = Date.parse(`${day}T09:12:00Z`);
    for (const [filename, megabytes] of Object.entries(files)) {
      const file = join(directory, folder, filename);
      await writeFile(file, filename === photo.filename ? picture : "");
      // The rest is a hole, which takes no space, and which readers of pictures ignore.
      await truncate(file, Math.round(megabytes * 1e6));
      await utimes(file, timeMs / 1000, timeMs / 1000);
      timeMs += 25 * 3_600_000 + 13 * 60_000;
    }
  }
}

/** As cameras and recorders number their files. */
function series(start: string, end: string, first: number, count: number): Record<string, number> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const megabytes = (end === ".flac" ? 31 : 4) * (1 + 0.3 * Math.sin(index * 2.4));
      return [`${start}${String(first + index).padStart(2, "0")}${end}`, megabytes];
    }),
  );
}
