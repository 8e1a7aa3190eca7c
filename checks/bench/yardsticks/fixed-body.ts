/** A server that answers every request alike, at once: how fast the load generator can be. */
import { serveYardstick } from "./serve-yardstick.ts";

/** As large as a page of 50 uploads. */
const content = Buffer.from(JSON.stringify({ uploads: ["x".repeat(48_000)] }));

serveYardstick("fixed-body", () => (request, response) => {
  request.resume();
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": content.byteLength,
  });
  response.end(content);
});
