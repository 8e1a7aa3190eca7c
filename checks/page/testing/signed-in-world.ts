import { after, before } from "node:test";
import type { ProgramSettings } from "./page-programs.ts";
import { openSignedIn, type Visitor } from "./visitor.ts";
import { startWorld, type World } from "./world.ts";

type SignedInWorld = World & Pick<Visitor, "context" | "page" | "complaints">;

/** For a `describe`: a world with somebody who is signed in. It is empty until its tests begin. */
export function signedInWorld(settings: ProgramSettings = {}): SignedInWorld {
  const world = {} as SignedInWorld;
  before(async () => {
    Object.assign(world, await startWorld(settings));
    // It ends with the browser of the world.
    const { context, page, complaints } = await openSignedIn(world);
    Object.assign(world, { context, page, complaints });
  });
  after(() => world[Symbol.asyncDispose]?.());
  return world;
}
