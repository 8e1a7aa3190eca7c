/** A device that gets tokens by the device authorization grant (RFC 8628). */
import * as oauth from "oauth4webapi";
import type pg from "pg";
import { deviceCodeGrantType } from "../model/grant-types.ts";
import type { Account } from "../store/accounts.ts";
import type { ClientRecord } from "../store/clients.ts";
import { type ActingClient, addActingClient, insecure, testPassword } from "./code-flow.ts";
import type { TestBrowser, Visited } from "./test-browser.ts";

/** A program on devices: without a secret, unless one is given. */
export async function addDeviceClient(
  pool: pg.Pool,
  changes: Partial<ClientRecord> & { secret?: string } = {},
): Promise<ActingClient> {
  return await addActingClient(pool, {
    name: "The television",
    grantTypes: [deviceCodeGrantType, "refresh_token"],
    redirectUris: [],
    isNative: true,
    ...changes,
  });
}

/** Asks for a device code and a user code. */
export async function startDevice(
  server: oauth.AuthorizationServer,
  { client, authentication }: ActingClient,
  parameters: Record<string, string> = {},
): Promise<oauth.DeviceAuthorizationResponse> {
  const wishes = { scope: "openid offline_access upl:bucket:read", ...parameters };
  const response = await oauth.deviceAuthorizationRequest(
    server,
    client,
    authentication,
    wishes,
    insecure,
  );
  return await oauth.processDeviceAuthorizationResponse(server, client, response);
}

/** Asks whether the person has decided. Rejects with the error of the answer. */
export async function poll(
  server: oauth.AuthorizationServer,
  { client, authentication }: ActingClient,
  deviceCode: string,
): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.deviceCodeGrantRequest(
    server,
    client,
    authentication,
    deviceCode,
    insecure,
  );
  return await oauth.processDeviceCodeResponse(server, client, response);
}

/** Sends a form of the pages of a device, with its hidden fields. */
export async function submitForm(
  browser: TestBrowser,
  page: Visited,
  fields: Record<string, string>,
): Promise<Visited> {
  const action = /<form method="post" action="([^"]+)">/.exec(page.text)?.[1] ?? page.url;
  const hidden = page.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
  const values = Object.fromEntries(Array.from(hidden, ([, name, value]) => [name, value]));
  return await browser.submit({ ...page, url: action }, { ...values, ...fields });
}

/** Does all that a person does in the browser. Returns the last page. */
export async function allowDevice(
  browser: TestBrowser,
  { verification_uri: address, user_code }: oauth.DeviceAuthorizationResponse,
  { loginName }: Account,
): Promise<Visited> {
  const entry = await browser.open(address);
  const confirm = await submitForm(browser, entry, { user_code });
  let page = await submitForm(browser, confirm, { confirm: "yes" });
  if (page.text.includes('name="password"')) {
    const fields = { login_name: loginName, password: testPassword, act: "sign-in" };
    page = await browser.submit(page, fields);
  }
  if (page.text.includes('value="allow"')) page = await browser.submit(page, { act: "allow" });
  return page;
}
