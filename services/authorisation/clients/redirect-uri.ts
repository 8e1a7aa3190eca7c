/** Where a client may have people sent back to: addresses, compared letter by letter. */
import { InvalidArgumentError } from "commander";
import { isLogoutUri, logoutUriNeed } from "../logout/logout-uri.ts";

const uriCharactersMax = 2048;
const urisMax = 32;
const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

/** Adds an address to those given before. What is behind the port of a native client may change. */
export function collectRedirectUri(text: string, earlier: readonly string[] = []): string[] {
  const url = text.length <= uriCharactersMax ? URL.parse(text) : null;
  if (url === null || !isAllowed(url) || /[#\s\p{Cc}]/u.test(text) || url.username !== "") {
    throw new InvalidArgumentError(
      "Need an https address, an http one of this machine, or one with a scheme such as " +
        `com.example.app, without fragment, of at most ${uriCharactersMax} characters.`,
    );
  }
  const uris = [...new Set([...earlier, text])];
  if (uris.length > urisMax) throw new InvalidArgumentError(`Need at most ${urisMax}.`);
  return uris;
}

/** Where our server tells a client of the end of a session. */
export function parseLogoutUri(text: string): string {
  if (!isLogoutUri(text)) throw new InvalidArgumentError(`Need ${logoutUriNeed}.`);
  return text;
}

/** Whether an address has a scheme of an application's own (RFC 8252 section 7.1). */
export function isPrivateUse(uri: string): boolean {
  return !/^https?:/i.test(uri);
}

function isAllowed({ protocol, hostname }: URL): boolean {
  if (protocol === "https:") return true;
  if (protocol === "http:") return loopbackHosts.includes(hostname);
  // A name that somebody owns, the wrong way round: two applications seldom choose the same.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol);
}
