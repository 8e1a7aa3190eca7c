/**
 * `POST /back-channel-logout`: the issuer tells us that a session has ended (OpenID Connect
 * Back-Channel Logout 1.0).
 */
import { errorText, inTransaction, type Logger } from "@stowage/process";
import { type JWTPayload, jwtVerify } from "jose";
import type pg from "pg";
import { type Handle, send } from "../http/answer.ts";
import { readBody } from "../http/read-body.ts";
import {
  clockToleranceSeconds,
  type Issuer,
  isKeyOutage,
  signatureAlgorithms,
} from "../issuer/issuer.ts";
import { WebError } from "../model/web-error.ts";
import { removeSessionsOf } from "../store/sessions.ts";
import { useLogoutToken } from "../store/used-logout-tokens.ts";

const bodyBytesMax = 16 * 1024;

/** Section 2.4 recommends that logout tokens live for two minutes. */
const lifetimeSecondsMax = 300;

const event = "http://schemas.openid.net/event/backchannel-logout";

interface LogoutOptions {
  readonly issuer: Issuer;
  readonly pool: pg.Pool;
  readonly logger: Logger;
}

/** Why a logout token is refused. The issuer gets this text. */
class LogoutRefusedError extends Error {
  override readonly name = "LogoutRefusedError";
}

export function backChannelLogout(options: LogoutOptions): Handle {
  const { pool, logger } = options;
  return async (request, response) => {
    try {
      const body = await readBody(request, bodyBytesMax);
      const token = tokenOf(request.headers["content-type"], body.toString());
      const claims = await checkLogoutToken(token, options.issuer);
      const removed = await inTransaction(pool, async (client) => {
        // Last, so that a token that is refused for another reason does not count as used.
        if (!(await useLogoutToken(client, claims.tokenId, claims.expiresAtSeconds))) {
          throw new LogoutRefusedError("the logout token was used before");
        }
        return await removeSessionsOf(client, claims);
      });
      logger.info({ removed }, "the issuer has ended a session");
      send(response, 200, {});
    } catch (error) {
      if (!(error instanceof LogoutRefusedError)) throw error;
      // Anyone can cause this, as often as they like.
      logger.debug({ reason: error.message }, "a logout token was refused");
      const answer = { error: "invalid_request", error_description: error.message };
      const headers = { "Content-Type": "application/json" };
      send(response, 400, headers, `${JSON.stringify(answer)}\n`);
    }
  };
}

function tokenOf(contentType: string | undefined, body: string): string {
  const isForm = /^application\/x-www-form-urlencoded *(;|$)/i.test(contentType ?? "");
  const [token, ...others] = isForm ? new URLSearchParams(body).getAll("logout_token") : [];
  if (token === undefined || others.length > 0) {
    throw new LogoutRefusedError("the body must be a form with one logout_token");
  }
  return token;
}

interface LogoutClaims {
  readonly tokenId: string;
  readonly expiresAtSeconds: number;
  readonly subject: string | null;
  readonly issuerSessionId: string | null;
}

/** The checks of section 2.6, in order. Whether the token was used before comes after them. */
async function checkLogoutToken(token: string, issuer: Issuer): Promise<LogoutClaims> {
  const claims = await verified(token, issuer);
  const { sub = null, sid = null, events, nonce, jti, exp } = claims;
  const isText = (value: unknown) => typeof value === "string" && value !== "";
  if (!isText(jti) || jti === undefined || exp === undefined) throw refusedClaim("jti");
  if (sub === null && sid === null) throw new LogoutRefusedError("there is neither sub nor sid");
  if (sub !== null && !isText(sub)) throw refusedClaim("sub");
  if (sid !== null && !isText(sid)) throw refusedClaim("sid");
  const isLogout = isObject(events) && isObject(events[event]);
  if (!isLogout) throw refusedClaim("events");
  if (nonce !== undefined) throw refusedClaim("nonce");
  return {
    tokenId: jti,
    expiresAtSeconds: exp,
    subject: sub,
    issuerSessionId: sid as string | null,
  };
}

/** Checks form, type, algorithm, signature, issuer, audience and times. */
async function verified(token: string, issuer: Issuer): Promise<JWTPayload> {
  const keys = await issuer.keys();
  try {
    const { payload } = await jwtVerify(token, keys, {
      typ: "logout+jwt",
      algorithms: signatureAlgorithms,
      issuer: issuer.options.authUrl,
      audience: issuer.options.clientId,
      requiredClaims: ["iat", "exp", "jti", "events"],
      clockTolerance: clockToleranceSeconds,
      maxTokenAge: lifetimeSecondsMax,
    });
    return payload;
  } catch (cause) {
    if (isKeyOutage(cause)) {
      throw new WebError("ISSUER_UNAVAILABLE", "the keys of the issuer cannot be read", { cause });
    }
    throw new LogoutRefusedError(`the logout token is not valid: ${errorText(cause)}`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refusedClaim(name: string): LogoutRefusedError {
  return new LogoutRefusedError(`the claim ${name} is not as it must be`);
}
