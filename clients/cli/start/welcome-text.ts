/**
 * The text that `npm start` prints when everything is ready. The link comes last: a token fills a
 * small terminal.
 */
import type { IssuedToken } from "../access/request-token.ts";
import { returnOf } from "./demo-account.ts";

interface Welcome {
  /** Signs in once; undefined if the account is disabled. */
  readonly link: string | undefined;
  readonly loginName: string;
  readonly pageUrl: string;
  /** Whether only browsers of this machine can use the page, which may be unexpected. */
  readonly isLocalOnly: boolean;
  readonly baseUrl: string;
  readonly token: IssuedToken;
  readonly organisationId: string;
  /** The settings that other commands need too, to find the same data. */
  readonly neededSettings: readonly string[];
  readonly now: Date;
}

export function welcomeText(welcome: Welcome): string {
  const { link, loginName, pageUrl, baseUrl, token, organisationId, now, neededSettings } = welcome;
  return `
To call it from a program, paste these lines. The token is ${validityText(token, now)}.

TOKEN=${token.accessToken}

The newest 50 uploads:

${curl(baseUrl, "BucketUploadsService/ListUploads", { pageSize: 50 })}

The folder tree:

${curl(baseUrl, "BucketFoldersService/ListFolderTree", {})}

  Commands       npx stowage find readme, npx stowage du (${whereText(neededSettings)})
  A new token    TOKEN=$(npx stowage token)
  More people    npx stowage accounts add --organisation ${organisationId} \\
                   --login-name NAME

Stowage is ready. ${link === undefined ? noLinkText(welcome) : linkText(link)}

  The page       ${pageUrl}/${welcome.isLocalOnly ? localOnlyText : ""}
  Another link   npx stowage accounts sign-in-link --login-name ${loginName} \\
                   --return ${returnOf(pageUrl)}
  To stop        Ctrl-C

`;
}

const localOnlyText = `
                 only for browsers of this machine; set PAGE_URL for others`;

function whereText(neededSettings: readonly string[]): string {
  const settings = neededSettings.join(" and ");
  return `in another terminal${settings === "" ? "" : ` with the same ${settings}`}`;
}

function linkText(link: string): string {
  return `Open this link in a browser, within 10 minutes. It signs you in, once:

  ${link}`;
}

function noLinkText({ loginName }: Welcome): string {
  return `The account ${loginName} is disabled, so there is no link that
signs in with it: npx stowage accounts enable ${loginName}`;
}

function curl(baseUrl: string, operation: string, body: object): string {
  return [
    `curl -sS ${quote(`${baseUrl}/svc.api.v1.${operation}`)}`,
    "  -H 'Connect-Protocol-Version: 1' -H 'Content-Type: application/json'",
    `  -H "Authorization: Bearer $TOKEN" -d ${quote(JSON.stringify(body))}`,
  ].join(" \\\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function validityText({ expiresInSeconds: seconds }: IssuedToken, now: Date): string {
  if (seconds === undefined) return "valid for as long as its issuer says";
  const until = new Date(now.getTime() + seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
  return `valid for ${Math.floor(seconds / 60)} minutes, until ${until}`;
}
