/** A data set from a list of paths, one a line: the names are real, the rest is made. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path/posix";
import { createInterface } from "node:readline";
import { wholeNumber } from "../report/tables.ts";
import type { DataSet } from "./data-set.ts";
import { Random } from "./random.ts";
import { folderContents } from "./uploads.ts";

/** With an upload for each of the first paths of the file. Folders are those they imply. */
export async function listedDataSet(file: string, uploadsMax: number): Promise<DataSet> {
  const { size } = await stat(file).catch((error) => {
    throw new Error(`Cannot read ${file}`, { cause: error });
  });
  const name = basename(file);
  return {
    name: `rows-${uploadsMax}-of-${name.replaceAll(/[^\w.-]/g, "-")}`,
    description: `up to ${wholeNumber(uploadsMax)} paths of ${name} (${wholeNumber(size)} bytes)`,
    async *lines() {
      const random = new Random(1);
      let folder = "/";
      let nextUpload = folderContents(random, folder);
      let count = 0;
      for await (const line of createInterface(createReadStream(file))) {
        const path = resolve("/", line);
        if (path === "/") continue;
        if (dirname(path) !== folder) {
          folder = dirname(path);
          nextUpload = folderContents(random, folder);
        }
        yield nextUpload(basename(path));
        count += 1;
        if (count === uploadsMax) return;
      }
    },
  };
}
