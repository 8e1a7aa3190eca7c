/** The package as its users get it: packed, and installed in a project that has nothing else. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { publish, startIssuerServer } from "../testing/issuer-server.ts";
import { signingKey, signToken } from "../testing/tokens.ts";
import { buildPackage } from "./build-package.ts";

const run = promisify(execFile);
const source = dirname(import.meta.dirname);
const repository = dirname(dirname(source));
const manifest = JSON.parse(await readFile(join(source, "package.json"), "utf8"));

/** The Node of the project; TEST_CONSUMER_NODE names another, such as the oldest promised. */
const node = process.env.TEST_CONSUMER_NODE ?? process.execPath;

describe("the package", () => {
  let folder = "";
  let project = "";
  let installed = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "stowage-package-"));
    project = join(folder, "project");
    installed = join(project, "node_modules", manifest.name);
    await buildPackage(join(folder, "built"));
    const [tarball = ""] = await npm(["pack", "./built", "--silent"], folder);
    await mkdir(project);
    await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }');
    await npm(["install", "--offline", "--no-audit", "--no-fund", join(folder, tarball)], project);
  });
  after(() => rm(folder, { recursive: true }));

  /** As a person would run it, without what an npm around the tests says; the lines it prints. */
  async function npm(parameters: readonly string[], cwd: string): Promise<string[]> {
    const around = Object.keys(process.env).filter((name) => name.startsWith("npm_"));
    const without = Object.fromEntries(around.map((name) => [name, undefined]));
    const cache = join(folder, "npm-cache");
    const env = { ...process.env, ...without, npm_config_cache: cache };
    return (await run("npm", parameters, { cwd, env })).stdout.trimEnd().split("\n");
  }

  /** Runs a program of the project and gives what it prints. */
  async function runInProject(program: string, environment = {}): Promise<string> {
    const options = { cwd: project, env: { ...process.env, ...environment } };
    await writeFile(join(project, "program.js"), program);
    return (await run(node, ["program.js"], options)).stdout;
  }

  it("has no dependencies", async () => {
    assert.deepEqual(await readdir(join(project, "node_modules", "@stowage")), ["access-token"]);
    const names = await readdir(join(project, "node_modules"));
    assert.deepEqual(names.sort(), [".package-lock.json", "@stowage"]);
  });

  it("holds code and types built from the source, what they mean, and nothing else", async () => {
    const found = await readdir(installed, { recursive: true, withFileTypes: true });
    const files = found
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(installed.length + 1));
    const modules = files.filter((file) => file.endsWith(".js")).map((file) => file.slice(4, -3));
    assert.deepEqual(
      files.sort(),
      ["LICENSE", "README.md", "package.json"]
        .concat(modules.flatMap((name) => [`lib/${name}.js`, `lib/${name}.d.ts`]))
        .sort(),
    );
    const sources = await readdir(join(source, "src"), { recursive: true });
    const foreign = modules.filter((name) => !sources.includes(`${name}.ts`) || /test/.test(name));
    assert.deepEqual(foreign, []);
  });

  it("validates a token in the README's ten lines, with only Node", async () => {
    const readme = await readFile(join(installed, "README.md"), "utf8");
    const program = /^```js\n(.*?)^```$/ms.exec(readme)?.[1] ?? "";
    await using issuer = await startIssuerServer(publish(signingKey.jwk));
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer.address, aud: ["urn:svc:uploads"], nbf: now, iat: now };
    const good = await signToken({ ...claims, exp: now + 60 });
    const expired = await signToken({ ...claims, exp: now });
    const validate = (token: string) =>
      runInProject(program, { AUTH_URL: issuer.address, ACCESS_TOKEN: token });

    assert.equal(await validate(good), "urn:svc:user:7 may upl:bucket:read\n");
    await assert.rejects(validate(expired), /TokenRefusedError/);
  });

  describe("beside the frameworks that it adapts", () => {
    const names = Object.keys(manifest.exports).map((path) => path.replace(/^\./, manifest.name));

    before(async () => {
      for (const name of ["@types/node", ...Object.keys(manifest.peerDependencies ?? {})]) {
        const place = join(project, "node_modules", name);
        await mkdir(dirname(place), { recursive: true });
        await symlink(join(repository, "node_modules", name), place);
      }
    });

    it("exports what the source exports", async () => {
      const program = `
        for (const name of ${JSON.stringify(names)}) {
          console.log(JSON.stringify(Object.keys(await import(name))));
        }`;
      const lines = (await runInProject(program)).trimEnd().split("\n");
      const files: string[] = Object.values(manifest.exports);
      const wanted = await Promise.all(
        files.map(async (file) => Object.keys(await import(join(source, file)))),
      );
      assert.deepEqual(
        lines.map((line) => JSON.parse(line)),
        wanted,
      );
    });

    it("has types that a strict project takes", async () => {
      const imports = names.map((name, index) => `export * as entry${index} from "${name}";`);
      await writeFile(join(project, "consumer.ts"), [...imports, consumer].join("\n"));
      const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023"];
      const tsc = join(repository, "node_modules", ".bin", "tsc");
      await run(tsc, [...options, "--types", "node", "consumer.ts"], { cwd: project });
    });
  });

  it("has a README whose links lead somewhere from anywhere", async () => {
    const readme = await readFile(join(installed, "README.md"), "utf8");
    const links = Array.from(readme.matchAll(/\]\(([^)]+)\)/g), ([, link = ""]) => link);
    assert.deepEqual(
      links.filter((link) => !/^(?:https:|#)/.test(link)),
      [],
    );
  });

  it("is not made by a plain npm pack of the source, which says what to do instead", async () => {
    await assert.rejects(npm(["pack", "--dry-run"], source), {
      code: 1,
      stderr: /^Cannot pack TypeScript: npm run tarball -w @stowage\/access-token$/m,
    });
  });
});

/** Without types, everything would be `any`, and the last call would compile. */
const consumer = `
import { createAccessTokenValidator, remoteKeySet } from "@stowage/access-token";
const issuer = "https://auth.example.com";
const keySet = remoteKeySet({ issuer });
const validator = createAccessTokenValidator({ issuer, audience: "a", keySet });
const subject: string = (await validator.validate("")).subject;
// @ts-expect-error: without an audience, it would accept tokens for other services.
createAccessTokenValidator({ issuer, keySet });
`;
