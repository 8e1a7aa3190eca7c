/** The commands that other programs of this repository carry out. */
import { Command } from "commander";
import { dataDirOf, readLocalClient } from "../access/local-client.ts";
import { type ProgramName, runInThisProcess } from "../programs/start-program.ts";

/** All of these commands, in the order in which the help lists them. */
export function programCommands(): Command[] {
  return [serveCommand(), ...Object.entries(descriptions).map(programCommand)];
}

/** Each program describes itself in these words too. */
const descriptions: Readonly<Partial<Record<ProgramName, string>>> = {
  import: "Imports uploads and folders into the index of a bucket.",
  sources: "Adds, lists, runs and removes the places that folders of buckets mirror.",
  buckets: "Adds, lists and removes buckets.",
  export: "Writes what is in a bucket to stdout.",
  check: "Compares stored sizes, positions, totals and skip indexes with the rows.",
  clients: "Manages the clients that may request access tokens.",
  accounts: "Adds, lists and removes the accounts of people who sign in.",
  organisations: "Lists, disables and enables organisations. The first client or account adds one.",
  groups: "Sets what the groups of another provider may access.",
  audit: "Lists what was granted, to whom, when, and from which address.",
  tokens: "Revokes access tokens before they expire.",
  sessions: "Lists the sessions of people.",
  consents: "Lists the consents that people have given clients.",
  grants: "Lists the grants that people have given clients.",
  keys: "Changes the keys that sign tokens, while the services run.",
};

/** The subcommands that need the address of the issuer: of links. */
const issuerCommands: readonly string[] = ["accounts sign-in-link"];

function programCommand([name, description]: [name: string, description: string]): Command {
  return delegatedCommand(name, description, async (parameters) => {
    const needsIssuer = issuerCommands.includes(`${name} ${parameters[0]}`);
    const environment = needsIssuer ? { AUTH_URL: await issuer() } : {};
    await runInThisProcess(name as ProgramName, parameters, { environment });
  });
}

function serveCommand(): Command {
  const services = {
    uploads: "the uploads service: lists and trees of buckets",
    authorisation: "the authorisation service: access tokens",
    web: "the page, with its own sessions, for people in browsers",
    sync: "runs the sources of buckets when they are due",
  };
  const command = new Command("serve")
    .enablePositionalOptions()
    .helpCommand(false)
    .description("Starts a service and runs it until Ctrl-C or SIGTERM.")
    .addHelpText("after", serveHelp);
  for (const [name, description] of Object.entries(services)) {
    command.addCommand(
      delegatedCommand(name, description, (parameters) =>
        runInThisProcess(name as keyof typeof services, parameters),
      ),
    );
  }
  return command;
}

const serveHelp = `
Settings come from the environment; a service's own --help lists them.

Example:
  DATABASE_URL=postgresql://stowage@db.internal/stowage \\
    AUTH_URL=https://login.example.com stowage serve uploads
`;

/** A command of another program, which reads everything after its name, `--help` included. */
function delegatedCommand(
  name: string,
  description: string,
  run: (parameters: readonly string[]) => Promise<void>,
): Command {
  return new Command(name)
    .description(description)
    .usage("[options]")
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .allowExcessArguments()
    .action((_options: object, command: Command) => run(command.args));
}

/**
 * `stowage help import`, as `stowage import --help`: the program of a command explains it.
 *
 * @param program the command line that it is added to
 */
export function helpCommand(program: Command): Command {
  return new Command("help")
    .description("display help for command")
    .argument("[command...]")
    .action(async (names: readonly string[]) => {
      const isKnown = program.commands.some((command) => command.name() === names[0]);
      if (names.length > 0 && !isKnown) program.help({ error: true });
      await program.parseAsync([...names, "--help"], { from: "user" });
    });
}

/** The issuer that is set or was started last. Links are for one issuer only. */
async function issuer(): Promise<string | undefined> {
  return process.env.AUTH_URL || (await readLocalClient(dataDirOf(process.env)))?.authUrl;
}
