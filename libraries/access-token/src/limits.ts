/** All limits of the package. */

/** Real tokens are under 2 KiB. Larger tokens are refused before they are decoded. */
export const tokenBytesMax = 8 * 1024;
/** Far more than authorization details need. Limits every recursion over parsed JSON. */
export const jsonDepthMax = 32;
/** Usual IDs are shorter, such as a thumbprint of 43 characters. Thousands of IDs are cached. */
export const keyIdBytesMax = 256;
/** Cached texts of headers. Headers differ only in the key ID, or in how an issuer writes them. */
export const headerTextsMax = 64;
/** Length of an RFC 8693 delegation chain: nested `act` claims. */
export const actorsMax = 4;
/** Clocks that NTP sets differ by less: a new token is valid at once, also on a slower clock. */
export const clockToleranceSecondsDefault = 5;
export const clockToleranceSecondsMax = 60;
/** Far more than the name of a service needs. */
export const realmCharactersMax = 128;

/** RFC 7518 section 3.3: RS256 needs a key of 2048 bits or larger. */
export const modulusBitsMin = 2048;
/** OpenSSL refuses to verify with a larger modulus. */
export const modulusBitsMax = 16_384;
/** FIPS 186-5 section 5.1. Larger exponents only make verification slow. */
export const publicExponentMax = 2n ** 256n;
/** In base64url, with padding. Importing a number of 40,000 bytes takes 0.2 s. */
export const modulusCharactersMax = Math.ceil(modulusBitsMax / 6) + 2;
export const publicExponentCharactersMax = Math.ceil(256 / 6) + 2;

/** Many times the usual: a key takes about 500 bytes, and issuers publish two or three. */
export const keySetBytesMax = 64 * 1024;
export const keySetKeysMax = 32;
/** From the start of a fetch to the end of its response. */
export const keySetFetchTimeoutMs = 5_000;
/**
 * Time between the starts of two fetches: at most two fetches in any 10 s, and a new key works
 * within 5 s even during a flood. The extra 50 ms allow for varying network delay, so that the
 * issuer also counts at most two.
 */
export const keySetFetchSpacingMs = 5_050;
/** An early fetch begins only if at most this many requests need one within this time. */
export const keySetEarlyFetchDelayMs = 100;
export const keySetEarlyFetchRequestsMax = 10;
/** How long a request with an unknown key may wait for a fetch. */
export const keySetWaitMs = 1_000;
/** Keys are fetched again at half this age; the other half must allow for a failure and a retry. */
export const keySetAgeMsMin = 30_000;

/** Default limits of the cache of verified tokens. */
export const cacheEntriesDefault = 10_000;
export const cacheBytesDefault = 32 * 1024 * 1024;
/** One for each generation of the cache. */
export const cacheEntriesMin = 2;
export const cacheBytesMin = 64 * 1024;

/** About 200 MB. More revocations at once are an attack or a bug. */
export const denylistEntriesMax = 1_000_000;
/** How often each server reads new entries. A revocation must take effect within 2 s. */
export const denylistPollMs = 1_000;
/** How long a transaction that adds an entry may take. */
export const denylistOverlapSeconds = 60;
/** How far behind a server may be: enough for an answer that does not come, and another read. */
export const denylistLagMsDefault = 10_000;
export const denylistLagMsMin = 2 * denylistPollMs;
export const denylistLagMsMax = 24 * 60 * 60 * 1000;
/** Entries per page. A page takes a few milliseconds of CPU time, and requests run in between. */
export const denylistPageEntries = 2_000;
/** How often expired entries are removed from memory. */
export const denylistSweepSeconds = 60;
/** How long expired entries stay in the database, in case a server's clock is wrong. */
export const denylistKeptSeconds = 24 * 60 * 60;
/** Expired rows that each added entry removes: more than one, so that the table shrinks. */
export const denylistPrunedRowsMax = 100;
