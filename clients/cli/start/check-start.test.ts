import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { promisify } from "node:util";
import { isPageOld, requireFreePorts } from "./check-start.ts";

/** With this address, the page's server listens on 127.0.0.1, and the others listen there. */
const HOST = "127.0.0.2";

for (const [taken, isRefused] of [
  ["127.0.0.1", true],
  [HOST, false],
] as const) {
  it(`a start at ${HOST}, the page's port in use at ${taken}: refused: ${isRefused}`, async () => {
    const other = createServer();
    await once(other.listen({ host: taken, port: 0 }), "listening");
    try {
      const { port } = other.address() as AddressInfo;
      const checking = requireFreePorts({ HOST, PORT: "0", AUTH_PORT: "0", WEB_PORT: `${port}` });
      if (isRefused)
        await assert.rejects(checking, /page's server on 127\.0\.0\.1 port \d+: .* in use/);
      else await checking;
    } finally {
      other.close();
    }
  });
}

it("a HOST that is no address of this machine is not blamed on a port", async () => {
  for (const wrong of ["192.0.2.1", "name.invalid"]) {
    const act = `Cannot start the uploads service on ${wrong} port 0`;
    const message = `${act} (HOST must be an address of this machine)`;
    await assert.rejects(requireFreePorts({ HOST: wrong, PORT: "0" }), { message });
  }
});

it("a page is old when one of its sources is newer than its build", async () => {
  const checkout = await mkdtemp(join(tmpdir(), "stowage-checkout-"));
  const write = async (path: string, seconds: number) => {
    await mkdir(dirname(join(checkout, path)), { recursive: true });
    await writeFile(join(checkout, path), "");
    await utimes(join(checkout, path), seconds, seconds);
  };
  try {
    await write("clients/web/main.tsx", 1);
    assert.equal(await isPageOld(checkout), false);
    await write("clients/web/dist/index.html", 2);
    await write("clients/web/dist/assets/main.css", 3);
    await write("clients/web/node_modules/library/index.ts", 3);
    await write("services/uploads/main.ts", 3);
    assert.equal(await isPageOld(checkout), false);
    await write("api/query/parse-query.ts", 3);
    assert.equal(await isPageOld(checkout), true);
  } finally {
    await rm(checkout, { recursive: true });
  }
});

/** Root can write everywhere, so another user asks for the folder then. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const program = `
  import { requireOwnDataFolder } from "./check-start.ts";
  await requireOwnDataFolder(process.argv[1]).catch(({ message, cause }) => {
    console.log(message + ": " + cause?.code);
  });`;

function requireAsUser(folder: string) {
  const parameters = ["--input-type=module-typescript", "--eval", program, folder];
  return promisify(execFile)(process.execPath, parameters, { cwd: import.meta.dirname, ...user });
}

const canRun = await requireAsUser("/").then(
  () => true,
  () => false,
);
const needsReaders = canRun ? {} : { skip: "other users cannot read this checkout" };

it("says what to do if the data folder cannot be written", needsReaders, async () => {
  const folder = await mkdtemp(join(tmpdir(), "stowage-read-only-"));
  try {
    await chmod(folder, 0o555);
    for (const dataDir of [folder, join(folder, "new")]) {
      const { stdout } = await requireAsUser(dataDir);
      const advice = "set DATA_DIR to a folder of your own";
      assert.equal(stdout, `Cannot use the data folder ${dataDir} (${advice}): EACCES\n`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
