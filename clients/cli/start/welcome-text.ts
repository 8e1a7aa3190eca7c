/** The text that `npm start` prints when everything is ready. */
import type { IssuedToken } from "../access/request-token.ts";

interface Welcome {
  readonly baseUrl: string;
  readonly token: IssuedToken;
  readonly organisationId: string;
  readonly now: Date;
}

export function welcomeText({ baseUrl, token, organisationId, now }: Welcome): string {
  const { accessToken } = token;
  const call = { baseUrl, accessToken };
  return `
Stowage is ready. The index follows the directory: a change shows within half a minute.

An access token, ${validityText(token.expiresInSeconds, now)}:

${accessToken}

The newest 50 uploads:

${curl({ ...call, operation: "BucketUploadsService/ListUploads", body: { pageSize: 50 } })}

The folder tree:

${curl({ ...call, operation: "BucketFoldersService/ListFolderTree", body: {} })}

  Page          ${baseUrl}/
  For people    npx stowage ls, npx stowage tree --depth 2 (in another terminal)
  A new token   npx stowage token
  To sign in    npx stowage accounts add --organisation ${organisationId} --login-name NAME
                npx stowage login
  To stop       Ctrl-C

`;
}

function curl(call: {
  baseUrl: string;
  accessToken: string;
  operation: string;
  body: Readonly<Record<string, unknown>>;
}): string {
  const { baseUrl, accessToken, operation, body } = call;
  return [
    `curl -sS ${quote(`${baseUrl}/svc.api.v1.${operation}`)}`,
    `  -H ${quote("Connect-Protocol-Version: 1")}`,
    `  -H ${quote("Content-Type: application/json")}`,
    `  -d ${quote(JSON.stringify(body))}`,
    `  -H ${quote(`Authorization: Bearer ${accessToken}`)}`,
  ].join(" \\\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function validityText(seconds: number | undefined, now: Date): string {
  if (seconds === undefined) return "valid for as long as its issuer says";
  const until = new Date(now.getTime() + seconds * 1000).toTimeString().slice(0, 5);
  return `valid for ${Math.floor(seconds / 60)} minutes, until ${until}`;
}
