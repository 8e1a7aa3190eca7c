/**
 * The *floor*: the least that a Node process can do to answer such requests with such pages. It
 * reads the request, asks the database for ready texts, and puts them together. No token, no
 * checks, no cursor.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type pg from "pg";
import { type PageRequest, pageQuery, pageSize } from "./page-query.ts";
import { serveYardstick } from "./serve-yardstick.ts";

serveYardstick("floor", (pool, { bucketId }) => (request, response) => {
  answer(pool, bucketId, request, response).catch((error) => {
    response.writeHead(500).end(String(error));
  });
});

/** As long as a real one is. */
const cursor = "c".repeat(200);

async function answer(
  pool: pg.Pool,
  bucketId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked: PageRequest = JSON.parse(await bodyOf(request));
  const statement = pageQuery("document", bucketId, asked);
  const { rows } = await pool.query<[document: string]>({ ...statement, rowMode: "array" });
  const texts = rows.slice(0, pageSize).join(",");
  const content = `{"uploads":[${texts}],"nextCursor":"${rows.length > pageSize ? cursor : ""}"}`;
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(content),
  });
  response.end(content);
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => resolve(body)).on("error", reject);
  });
}
