/** What `stowage login` asks the issuer for, by either flow. */
import type * as oauth from "oauth4webapi";

export interface LoginRequest {
  readonly issuer: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly scope: string;
  /** The service that the token is for (RFC 8707); undefined: the issuer's choice. */
  readonly resource: string | undefined;
  /** Tells the person what to do. */
  readonly tell: (text: string) => void;
}

/** The client that `npm start` registers for this command. It has no secret. */
export const cliClientId = "a3f1c9d2-7c4e-4b8a-9f60-2d5e8b1c7a94";

/** The registered redirect URI: requests add the port (RFC 8252 section 7.3). */
export const loopbackRedirectUri = "http://127.0.0.1/callback";

/** `offline_access`: the login outlives the session in the browser. */
export const scopeDefault = "openid profile offline_access upl:bucket:read";

/** The parameters that both flows send. */
export function requestParametersOf({ scope, resource }: LoginRequest): Record<string, string> {
  return { scope, ...(resource && { resource }) };
}
