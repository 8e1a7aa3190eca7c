/**
 * The *floor*: the least that a Node process can do to answer such requests with such pages. It
 * reads the request, queries the database for ready texts, and joins them. No token, no checks, no
 * cursor.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type pg from "pg";
import { pageQuery, pageSize } from "./page-query.ts";
import { serveBaseline } from "./serve-baseline.ts";

serveBaseline("floor", (pool) => (request, response) => {
  answer(pool, request, response).catch((error) => response.writeHead(500).end(String(error)));
});

/** As long as a real one. */
const cursor = "c".repeat(200);

async function answer(pool: pg.Pool, request: IncomingMessage, response: ServerResponse) {
  const statement = pageQuery("document", JSON.parse(await text(request)));
  const { rows } = await pool.query<[document: string]>({ ...statement, rowMode: "array" });
  const texts = rows.slice(0, pageSize).join(",");
  const content = `{"uploads":[${texts}],"nextCursor":"${rows.length > pageSize ? cursor : ""}"}`;
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(content),
  });
  response.end(content);
}
