/** Services that the real npx starts end with it, however it ends. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  createTestDatabase,
  startProcess,
  type TestDatabase,
  until,
} from "@stowage/process/testing";
import { noSettings, processesWith, root } from "../testing/programs.ts";

const commands = [
  ["stowage", "serve", "uploads"],
  ["node", "services/uploads/main.ts"],
];

describe("npx", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());

  for (const command of commands) {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      it(`${command.join(" ")} leaves nothing behind when ${signal} ends npx`, async () => {
        const mark = `mark-${Math.random()}`;
        const npx = startProcess("npx", command, {
          cwd: root,
          env: { ...noSettings, DATABASE_URL: database.databaseUrl, PORT: "0", TEST_MARK: mark },
        });
        const line = await npx.line(/^uploads: listening on /);
        const address = line.slice(line.lastIndexOf(" ") + 1);
        assert.equal((await fetch(`${address}/healthz`)).status, 200);
        npx.kill(signal);
        await until(
          "all processes have ended",
          async () => (await processesWith(mark)).length === 0,
        );
        await assert.rejects(fetch(`${address}/healthz`));
      });
    }
  }

  it("is not needed: a service that is started otherwise outlives its parent", async () => {
    const mark = `mark-${Math.random()}`;
    const script = "clients/cli/stowage.sh serve uploads >/dev/null 2>&1 & echo $!";
    const { stdout } = await startProcess("sh", ["-c", script], {
      cwd: root,
      env: { ...noSettings, DATABASE_URL: database.databaseUrl, PORT: "0", TEST_MARK: mark },
    }).ended;
    // The command, which is the primary, and its worker: they run, long after their parent ended.
    await until("it runs", async () => (await processesWith(mark)).length === 2);
    process.kill(Number(stdout), "SIGTERM");
    await until("all processes have ended", async () => (await processesWith(mark)).length === 0);
  });
});
