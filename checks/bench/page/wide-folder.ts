/** A bucket whose root has very many folders, each with one upload. */

export const subfolderCount = 10_000;
export const wideBucket = "wide.example.com";

/** Lines for the importer. */
export function wideFolderLines(organisationId: string): string {
  const bucketId = "7d0f0f2e-3c0b-4b43-9d0b-52f8a2f0c001";
  const bucket = { bucketId, hostname: wideBucket, organisationId, primary: false };
  const uploads = Array.from({ length: subfolderCount }, (_, number) => {
    const path = `/folder ${String(number).padStart(5, "0")}`;
    return { upload: { path, filename: "report.txt", sizeBytes: number } };
  });
  return [{ bucket }, ...uploads].map((line) => `${JSON.stringify(line)}\n`).join("");
}
