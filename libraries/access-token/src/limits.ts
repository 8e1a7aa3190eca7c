/** Every bound of the package, in one place. */

/** A real token is under 2 KiB. Larger is refused before it is decoded, so junk costs nothing. */
export const tokenBytesMax = 8 * 1024;
/** Far more than authorization details need; bounds every recursion over parsed JSON. */
export const jsonDepthMax = 32;
export const keyIdBytesMax = 256;
/** Headers are alike but for the key; a few more, for issuers that write them in several ways. */
export const headersKeptMax = 64;
/** RFC 8693 delegation chains; each `act` inside an `act` is one more. */
export const actorsMax = 4;
export const clockToleranceSecondsMax = 60;
/** A realm is a name, sent with every refusal. */
export const realmCharactersMax = 128;

/** RFC 7518 section 3.3: RS256 needs a key of 2048 bits or larger. */
export const modulusBitsMin = 2048;
/** OpenSSL verifies nothing under a larger modulus. */
export const modulusBitsMax = 16_384;
/** FIPS 186-5 section 5.1. Larger exponents only make verification slow. */
export const publicExponentMax = 2n ** 256n;
/** Of their base64url text, padding included. To take in a number of 40,000 bytes takes 0.2 s. */
export const modulusCharactersMax = Math.ceil(modulusBitsMax / 6) + 2;
export const publicExponentCharactersMax = Math.ceil(256 / 6) + 2;

export const keySetBytesMax = 64 * 1024;
export const keySetKeysMax = 32;
export const keySetFetchTimeoutMs = 5_000;
/**
 * From the beginning of one fetch to the beginning of the next: two in any 10 s, and during a flood
 * a new key still arrives within 5 s. The 50 ms keep it at two as the issuer counts them, to whom
 * one request may travel longer than the next.
 */
export const keySetFetchSpacingMs = 5_050;
/** How long requests are counted before a fetch begins sooner than that, and how many are calm. */
export const keySetCalmLookMs = 100;
export const keySetCalmRequestsMax = 10;
/** How long a request with an unknown key may be held; its caller is waiting. */
export const keySetWaitMs = 1_000;
/** Requests held at once. More are told to come back, so a flood cannot fill the memory. */
export const keySetWaitersMax = 1_000;
/**
 * A quarter of those seats is kept for requests that come so shortly before or after a fetch
 * begins. A key must work within 5 s, and it is for the rest of the spacing that its requests need
 * them.
 */
export const keySetBeginningMs = 60;
/** A reload waits for a fetch under way, for two spacings at most, and for a fetch. */
export const keySetReloadMsMax = 2 * keySetFetchSpacingMs + keySetFetchTimeoutMs;
/** Key IDs remembered as absent: two full queues of them at least, of 256 bytes each. */
export const absentKeysMax = 4_000;
/** Keys are asked for again at half their age; a failed try and another must fit in between. */
export const keySetAgeMsMin = 30_000;

/** Verified tokens that are remembered unless the validator is told otherwise. */
export const cacheEntriesDefault = 10_000;
export const cacheBytesDefault = 32 * 1024 * 1024;
/** Each half of the cache has room for one. */
export const cacheEntriesMin = 2;
export const cacheBytesMin = 64 * 1024;

/** Some 200 MB. More revocations than that at once are not a list but an attack or a fault. */
export const denylistEntriesMax = 1_000_000;
/** How often each server reads what is new in its denylist. Revocations are due within 2 s. */
export const denylistPollMsDefault = 1_000;
export const denylistPollMsMin = 100;
export const denylistPollMsMax = 60_000;
/** How far behind a server may be: time for a connection that hangs, another, and a load. */
export const denylistLagMsDefault = 10_000;
/** From one read to the next, however many notifications come. */
export const denylistReadSpacingMs = 50;
/** Entries in one answer: some milliseconds of work, between which requests have their turn. */
export const denylistPageEntries = 2_000;
/** Without an answer for so long, a connection is given up. A page takes a hundredth of it. */
export const denylistAnswerMs = 4_000;
/** How long a connection that is no longer needed may take to end in peace. */
export const denylistGoodbyeMs = 1_000;
/** How long whoever adds an entry waits for the database. */
export const denylistAddMs = 5_000;
/** From a failure to the next try: at first, and at most. */
export const denylistRetryMsMin = 100;
export const denylistRetryMsMax = 2_000;
/** The same when there are more entries than can be held: to find out costs reading as many. */
export const denylistTooLargeRetryMs = 30_000;
/** How often expired entries are looked for among those that are held. */
export const denylistSweepSeconds = 60;
/** How long expired entries stay in the database: for servers and people with wrong clocks. */
export const denylistKeptSeconds = 24 * 60 * 60;
/** Removed with each entry that is added: more than come, few enough not to be felt. */
export const denylistPrunedRowsMax = 100;
