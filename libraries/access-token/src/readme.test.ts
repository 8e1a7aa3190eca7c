import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { publish, startIssuerServer } from "../test-support/issuer-server.ts";
import { audience, signingKey, signToken } from "../test-support/tokens.ts";
import {
  refusalMessages,
  type TokenRefusalReason,
  TokenRefusedError,
} from "./token-refused-error.ts";

const packageUrl = new URL("../", import.meta.url);
const readme = readFileSync(new URL("README.md", packageUrl), "utf8");

/** Runs the program that the README shows, as it stands there. */
async function startExample(issuer: string) {
  const [, program = ""] = /```js\n(.*?)```/s.exec(readme) ?? [];
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: packageUrl,
    env: { ...process.env, AUTH_URL: issuer, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  const port = /^listening on port (\d+)$/.exec(line)?.[1];
  return {
    address: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
    },
  };
}

describe("the README", () => {
  it("shows a program that works", async () => {
    await using issuer = await startIssuerServer(publish(signingKey.jwk));
    await using example = await startExample(issuer.address);
    const now = Math.floor(Date.now() / 1000);
    const good = { iss: issuer.address, aud: [audience], exp: now + 60, nbf: now, iat: now };

    const ask = async (changes?: object) => {
      const token = changes && (await signToken({ ...good, ...changes }));
      const headers = token ? { authorization: `Bearer ${token}` } : undefined;
      const response = await fetch(example.address, headers ? { headers } : {});
      return [response.status, await response.text(), response.headers.get("www-authenticate")];
    };

    assert.deepEqual(await ask({}), [200, "Hello, urn:svc:user:7.\n", null]);
    assert.deepEqual(await ask(), [401, "An access token is required.\n", 'Bearer realm="api"']);
    assert.deepEqual((await ask({ aud: "other" })).slice(0, 2), [
      401,
      "The access token is meant for another service.\n",
    ]);
    const [status, , challenge] = await ask({ scope: "other" });
    assert.equal(status, 403);
    assert.match(String(challenge), /, scope="upl:bucket:read"$/);
  });

  it("lists every reason with its status and message, and no others", () => {
    const listed = readme.matchAll(/^\| `([A-Z_]+)` +\| (\d+) +\| (.*?) +\|$/gm);
    const reasons = Object.keys(refusalMessages) as TokenRefusalReason[];
    assert.deepEqual(
      [...listed].map(([, ...row]) => row),
      reasons.map((reason) => {
        const { status, message } = new TokenRefusedError(reason, "");
        return [reason, `${status}`, message];
      }),
    );
  });
});
