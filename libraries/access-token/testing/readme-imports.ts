/** Lets the programs of the README find the code that they say is generated. */
import { registerHooks } from "node:module";

const greetService = new URL("greet-service.ts", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === "./gen/greet_pb.js" ? greetService : specifier, context),
});
