import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startNode } from "./testing/index.ts";

async function logged(statements: string): Promise<readonly Record<string, unknown>[]> {
  const text = `import { createLogger } from "./index.ts"; ${statements}`;
  const arguments_ = ["--input-type=module-typescript", "--eval", text];
  const { exitCode, stdout, stderr } = await startNode(arguments_, { cwd: import.meta.dirname })
    .ended;
  assert.equal(exitCode, 0, stderr);
  assert.equal(stdout, "");
  return stderr
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe("createLogger()", () => {
  it("writes JSON lines to stderr, with level, time and name", async () => {
    const [line] = await logged('createLogger({ name: "try" }).info({ port: 1 }, "listening")');
    assert.equal(line?.level, "info");
    assert.equal(line?.name, "try");
    assert.equal(line?.port, 1);
    assert.equal(line?.msg, "listening");
    assert.match(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("writes from the given level on", async () => {
    const lines = await logged(
      'const l = createLogger({ name: "try", level: "warn" }); l.info("a"); l.warn("b");',
    );
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ["b"],
    );
  });

  it("writes nothing when silent", async () => {
    assert.deepEqual(await logged('createLogger({ name: "x", level: "silent" }).fatal("a")'), []);
  });

  const secrets = [
    '{ authorization: "hunter2" }',
    '{ request: { headers: { authorization: "hunter2", cookie: "hunter2" } } }',
    '{ settings: { databaseUrl: "hunter2", clientSecret: "hunter2" } }',
    '{ tokens: { refreshToken: "hunter2", idToken: "hunter2" } }',
    '{ form: { assertion: "hunter2", refresh_token: "hunter2" } }',
    '{ a: { b: { c: { d: { e: { password: ["hunter2", { f: "hunter2" }] } } } } } }',
    '{ err: Object.assign(new Error("refused"), { token: "hunter2" }) }',
    '{ address: "postgresql://user:hunter2@host/db" }',
    '{ err: new Error("no postgresql://user:hunter2@host/db") }',
    '{ address: "postgresql://user:a@hunter2@host/db" }',
    '{ address: "postgresql://user:a\\"hunter2@host/db" }',
    '{ header: "Bearer hunter2.hunter2" }',
    '{ header: "authorization: basic hunter2hunter2==" }',
    '{ text: "token eyJhbGciOi.hunter2.hunter2 was refused" }',
  ];
  for (const secret of secrets) {
    it(`removes the secret of ${secret}`, async () => {
      const lines = await logged(`createLogger({ name: "x" }).info(${secret}, "kept")`);
      assert.match(JSON.stringify(lines), /\[removed\]/);
      assert.doesNotMatch(JSON.stringify(lines), /hunter2/);
      assert.equal(lines[0]?.msg, "kept");
    });
  }

  it("keeps the code of an error", async () => {
    const [line] = await logged(
      'createLogger({ name: "x" }).info({ err: Object.assign(new Error(""), { code: "40P01" }) })',
    );
    assert.match(JSON.stringify(line), /"code":"40P01"/);
  });

  it("removes a secret from the message", async () => {
    const [line] = await logged('createLogger({ name: "x" }).info("at http://u:hunter2@h/")');
    assert.equal(line?.msg, "at http://[removed]@h/");
  });
});
