import { after, before } from "node:test";
import type { ProgramSettings } from "./page-programs.ts";
import { openSignedIn, type Visitor } from "./visitor.ts";
import { type OpenWorld, openWorld, startWorld, type World } from "./world.ts";

type SignedIn<Of> = Of & Pick<Visitor, "context" | "page" | "complaints">;

/** For a `describe`: a world of its own, with somebody who is signed in. */
export function signedInWorld(settings: ProgramSettings = {}): SignedIn<World> {
  return signedIn(() => startWorld(settings));
}

/**
 * For a `describe`: the programs that all test files of a run share, with a browser in which
 * somebody is signed in. Tests write to buckets of their own.
 */
export function sharedWorld(): SignedIn<OpenWorld> {
  return signedIn(openWorld);
}

/** The result is empty until the tests begin. */
function signedIn<Of extends OpenWorld>(open: () => Promise<Of>): SignedIn<Of> {
  const world = {} as SignedIn<Of>;
  before(async () => {
    Object.assign(world, await open());
    // It ends with the browser of the world.
    const { context, page, complaints } = await openSignedIn(world);
    Object.assign(world, { context, page, complaints });
  });
  after(() => world[Symbol.asyncDispose]?.());
  return world;
}
