/** How many uploads of the bucket each term finds: what its plan depends on. */
import pg from "pg";

/** Counts what was not counted in this database before; that takes a while. */
export async function countMatches(
  databaseUrl: string,
  texts: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(`
      create schema if not exists benchmark;
      create table if not exists benchmark.matches (text text primary key, uploads bigint)`);
    const { rows: missing } = await client.query<{ text: string }>(listMissing, [texts]);
    if (missing.length > 0) {
      const patterns = missing.map(({ text }) => likePattern(text));
      const { rows } = await client.query<[string[]]>({
        text: countStatement(patterns.length),
        values: patterns,
        rowMode: "array",
      });
      const counts = missing.map(({ text }, index) => [text, rows[0]?.[0]?.[index]]);
      await client.query(keepCounts, [JSON.stringify(Object.fromEntries(counts))]);
    }
    const { rows } = await client.query<{ text: string; uploads: string }>(
      "select text, uploads from benchmark.matches",
    );
    return new Map(rows.map(({ text, uploads }) => [text, Number(uploads)]));
  } finally {
    await client.end();
  }
}

const listMissing = `
  select text from unnest($1::text[]) as text
  where text not in (select text from benchmark.matches)`;

// In one pass over the table, which is what takes the time.
function countStatement(patterns: number): string {
  const counts = Array.from(
    { length: patterns },
    (_, index) => `count(*) filter (where filename like $${index + 1} or slug like $${index + 1})`,
  );
  return `
    select array[${counts.join(", ")}]
    from (select lower(filename collate pg_c_utf8) as filename,
                 lower(slug collate pg_c_utf8) as slug from uploads.uploads) as names`;
}

const keepCounts = `
  insert into benchmark.matches
  select key, value::bigint from jsonb_each_text($1::jsonb)`;

/** As the contract has it: a text that is in the name, or a pattern of the whole name. */
function likePattern(text: string): string {
  const escaped = text.toLowerCase().replace(/[\\%_]/g, "\\$&");
  if (!/[*?]/.test(text)) return `%${escaped}%`;
  return escaped.replaceAll("*", "%").replaceAll("?", "_");
}
