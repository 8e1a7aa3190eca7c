/** Every grant, from the request of a token to what the token may see at an uploads server. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { makeTemporaryFolder, type TemporaryFolder, until } from "@stowage/process/testing";
import { callHeaders } from "../testing/call-headers.ts";
import { FormBrowser } from "./testing/form-browser.ts";
import { organisationId, type RunningServices, startServices } from "./testing/running-services.ts";
import { addPage, addPerson, type Person, type SignedIn, signIn } from "./testing/sign-in.ts";

const bucketId = "0b2f1d5c-7a3e-4c8b-9f6d-2e1a0c4b8d37";
const bucketRef = { bucketId };
const paths = ["/", "/photos", "/photos/2026", "/photosets", "/texts"];
const photos = [
  { type: "bucket", identifier: bucketId, actions: ["read"], locations: ["/photos"] },
];
const names = {
  clientCredentials: "client_credentials",
  tokenExchange: "urn:ietf:params:oauth:grant-type:token-exchange",
};

interface Added {
  clientId: string;
  clientSecret: string;
}

let services: RunningServices;
let folder: TemporaryFolder;
let client: Added;
let delegate: Added;
let page: string;
let person: Person;
before(async () => {
  services = await startServices({ uploadsServers: 1 });
  folder = await makeTemporaryFolder();
  const file = join(folder.path, "uploads.ndjson");
  const lines = [
    { bucket: { bucketId, hostname: "photos.example", organisationId } },
    ...paths.map((path, index) => ({ upload: { path, filename: `${index}.jpg`, sizeBytes: 1 } })),
  ];
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await services.run("import", "ndjson", file);
  client = await add();
  delegate = await add();
  page = await addPage(services);
  person = await addPerson(services, folder.path);
});
after(async () => {
  await services?.stop();
  await folder?.remove();
});

async function add(): Promise<Added> {
  return JSON.parse(
    await services.run("clients", "add", "--organisation", organisationId, "--json"),
  );
}

type Form = Record<string, string>;

async function token(form: Form, by?: Added): Promise<string> {
  const headers: Form = by
    ? { authorization: `Basic ${btoa(`${by.clientId}:${by.clientSecret}`)}` }
    : {};
  const body = new URLSearchParams(form);
  const response = await fetch(`${services.authUrl}/token`, { method: "POST", headers, body });
  const answer = (await response.json()) as { access_token?: string };
  return answer.access_token ?? assert.fail(JSON.stringify(answer));
}

function exchanged(subject_token: string, form: Form = {}): Promise<string> {
  const subject_token_type = "urn:ietf:params:oauth:token-type:access_token";
  const usual = { grant_type: names.tokenExchange, subject_token, subject_token_type };
  return token({ ...usual, ...form }, delegate);
}

function allow(form: Form, isPushed = false): Promise<SignedIn> {
  const options = { parameters: form, isPushed };
  return signIn(services.authUrl, page, new FormBrowser(), person, options);
}

/** Gets a token, by the grant's name. `form` has further parameters. */
const grants: Record<string, (form: Form) => Promise<string>> = {
  "client credentials": (form) => token({ grant_type: names.clientCredentials, ...form }, client),
  "an authorization code": async (form) => (await allow(form)).accessToken,
  "an authorization code, after the request was pushed": async (form) =>
    (await allow(form, true)).accessToken,
  "a refresh token": async (form) => {
    const { refreshToken: refresh_token } = await allow(form);
    return await token({ grant_type: "refresh_token", refresh_token, client_id: page });
  },
  "token exchange": async (form) =>
    exchanged(await token({ grant_type: names.clientCredentials }, client), form),
  "token exchange, of a person's token": async (form) =>
    exchanged((await allow({})).accessToken, form),
  "token exchange, of a token for one folder": async (form) =>
    exchanged(await token({ grant_type: names.clientCredentials, ...form }, client)),
};

async function call(method: string, accessToken: string, request: object): Promise<Response> {
  return await fetch(`${services.uploadsUrls[0]}/svc.api.v1.${method}`, {
    method: "POST",
    headers: callHeaders(accessToken),
    body: JSON.stringify({ bucketRef, ...request }),
  });
}

async function seenPaths(accessToken: string, path = "/"): Promise<string[]> {
  const request = { path, recursive: true, cursor: "", sortBy: "filename", sortOrder: "asc" };
  const response = await call("BucketUploadsService/ListUploads", accessToken, request);
  assert.equal(response.status, 200);
  const { uploads } = (await response.json()) as { uploads: { path: string }[] };
  return uploads.map((upload) => upload.path);
}

async function treeStatus(accessToken: string, path: string): Promise<number> {
  const request = { folder: { path } };
  return (await call("BucketFoldersService/ListFolderTree", accessToken, request)).status;
}

for (const [grant, getToken] of Object.entries(grants)) {
  describe(`a token from ${grant}`, () => {
    it("lists uploads", async () => {
      assert.deepEqual(await seenPaths(await getToken({})), paths);
    });

    it("for one folder lists only that folder", async () => {
      const accessToken = await getToken({ authorization_details: JSON.stringify(photos) });
      assert.deepEqual(await seenPaths(accessToken), ["/photos", "/photos/2026"]);
      assert.deepEqual(await seenPaths(accessToken, "/texts"), []);
      assert.equal(await treeStatus(accessToken, "/photos/2026"), 200);
      assert.equal(await treeStatus(accessToken, "/photosets"), 404);
      const elsewhere = { bucketRef: { hostname: "a.example" }, cursor: "" };
      const other = await call("BucketUploadsService/ListUploads", accessToken, elsewhere);
      assert.equal(other.status, 404);
    });
  });
}

it("a disabled client can list nothing", async () => {
  const accessToken = await grants["client credentials"]?.({});
  assert.ok(accessToken);
  assert.deepEqual(await seenPaths(accessToken), paths);
  await services.run("clients", "disable", client.clientId);
  await until(
    "the uploads server to refuse the token",
    async () => {
      const request = { cursor: "" };
      const response = await call("BucketUploadsService/ListUploads", accessToken, request);
      return response.status === 401;
    },
    60_000,
  );
});
