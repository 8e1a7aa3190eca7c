/** A program that logs LINES lines for each request, and answers with their number. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "../logger.ts";
import { runProgram } from "../program/program.ts";

const lines = Number(process.env.LINES);

await runProgram("try", async ({ signal }) => {
  const logger = createLogger({ name: "try" });
  const text = "x".repeat(100);
  const server = createServer((request, response) => {
    for (let index = 0; index < lines; index++) logger.info({ index, text }, "a line");
    if (request.url === "/throw") setImmediate(() => Promise.reject(new Error("no more")));
    response.end(`${lines}`);
  });
  server.listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  process.stdout.write(`ready ${(server.address() as AddressInfo).port}\n`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  logger.info("the last line");
});
