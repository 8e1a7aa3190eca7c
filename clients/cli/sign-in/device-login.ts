/** Signs in by a code that the person enters in a browser anywhere (RFC 8628). */
import { setTimeout as sleep } from "node:timers/promises";
import * as oauth from "oauth4webapi";
import { httpOptions, oauthErrorOf } from "../access/issuer.ts";
import { type LoginRequest, requestParametersOf } from "./login-request.ts";

const intervalDefaultSeconds = 5;

/** RFC 8628 section 3.5: what `slow_down` adds. It also spares an issuer that does not answer. */
const slowDownSeconds = 5;

const endings: Readonly<Record<string, string>> = {
  access_denied: "you have not allowed it",
  expired_token: "the code has expired",
};

/** Rejects when the person declines, or does not enter the code in time. */
export async function loginByDevice(request: LoginRequest): Promise<oauth.TokenEndpointResponse> {
  const { issuer, client, tell } = request;
  const started = await oauth.processDeviceAuthorizationResponse(
    issuer,
    client,
    await oauth.deviceAuthorizationRequest(
      issuer,
      client,
      oauth.None(),
      requestParametersOf(request),
      httpOptions(),
    ),
  );
  tell(instructions(started));
  const endsAtMs = performance.now() + started.expires_in * 1000;
  let intervalSeconds = started.interval ?? intervalDefaultSeconds;
  while (performance.now() < endsAtMs) {
    await sleep(intervalSeconds * 1000);
    try {
      return await poll(request, started.device_code);
    } catch (error) {
      const code = oauthErrorOf(error);
      if (code === "authorization_pending") continue;
      if (code !== undefined && code !== "slow_down") {
        throw code in endings ? new Error(endings[code]) : error;
      }
      intervalSeconds += slowDownSeconds;
    }
  }
  throw new Error(endings.expired_token);
}

async function poll({ issuer, client }: LoginRequest, deviceCode: string) {
  const response = await oauth.deviceCodeGrantRequest(
    issuer,
    client,
    oauth.None(),
    deviceCode,
    httpOptions(),
  );
  return await oauth.processDeviceCodeResponse(issuer, client, response);
}

function instructions(started: oauth.DeviceAuthorizationResponse): string {
  const { verification_uri: address, verification_uri_complete: complete } = started;
  const minutes = Math.floor(started.expires_in / 60);
  return `
Open this page in a browser on any machine, and enter the code within ${minutes} minutes:

  Page   ${address}
  Code   ${started.user_code}
${complete === undefined ? "" : `\nThis address has the code in it: ${complete}\n`}
Waiting …
`;
}
