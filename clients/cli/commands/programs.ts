/** The commands that other programs of this repository carry out. */
import { Command } from "commander";
import { dataDirOf, readLocalClient } from "../access/local-client.ts";
import { becomeProgram, type ProgramName } from "../programs/start-program.ts";

/** All of these commands, in the order in which the help lists them. */
export function programCommands(): Command[] {
  return [
    partsCommand({
      name: "serve",
      description: "Starts a service and runs it until Ctrl-C or SIGTERM.",
      parts: {
        uploads: "the uploads service: lists and trees of buckets",
        authorisation: "the authorisation service: access tokens",
        web: "the page, with its own sessions, for people in browsers",
        sync: "runs the sources of buckets when they are due",
      },
      run: (service, parameters) => becomeProgram(service as ProgramName, parameters),
      help: `
Settings come from the environment; a service's own --help lists them.

Example:
  DATABASE_URL=postgresql://stowage@db.internal/stowage \\
    AUTH_URL=https://login.example.com stowage serve uploads
`,
    }),
    ...indexCommands(),
    databaseCommand("clients", {
      description: "Manages the clients that may request access tokens.",
      parts: {
        add: "registers a client and prints its ID and, only this once, its secret",
        list: "lists the clients, oldest first",
        update: "changes the scopes, redirect URIs and other properties of a client",
        secrets: "adds, lists and removes the secrets of a client",
        disable: "disables a client and its tokens",
        enable: "enables a client again",
        remove: "removes a client: it gets no more tokens",
      },
      examples: ['stowage clients add --organisation acme --name "nightly report"'],
    }),
    databaseCommand("service-accounts", {
      description: "Manages accounts of programs, which get tokens with an assertion.",
      parts: {
        add: "adds an account and prints, only this once, its assertion",
        list: "lists the accounts, oldest first",
        revoke: "ends an account and revokes its tokens",
      },
      issuerFor: ["add"],
      examples: ['stowage service-accounts add --organisation acme --name "backup"'],
    }),
    databaseCommand("accounts", {
      description: "Adds, lists and removes the accounts of people who sign in.",
      parts: {
        add: "adds an account; asks for its password, or reads it from a file",
        list: "lists the accounts by login name",
        update: "changes what clients are told about a person",
        remove: "removes an account, ends its sessions, and revokes its tokens",
        disable: "disables an account, its sessions and its tokens",
        enable: "enables an account again",
        "sign-out": "ends an account's sessions, and revokes its tokens",
        "set-password": "sets a new password, and signs the person out everywhere",
        "sign-in-link": "makes a link that signs a person in once",
      },
      issuerFor: ["sign-in-link"],
      examples: [
        "stowage accounts add --organisation acme --login-name ada@example.com " +
          '--name "Ada Lovelace"',
      ],
    }),
    databaseCommand("organisations", {
      description: "Lists, disables and enables organisations.",
      parts: {
        list: "lists the organisations, oldest first",
        disable: "disables an organisation, its people, its clients and their tokens",
        enable: "enables an organisation again",
      },
      examples: ["stowage organisations disable acme"],
    }),
    ...tokenCommands(),
  ];
}

function tokenCommands(): Command[] {
  return [
    passedThrough(
      "audit",
      "Lists what was granted, to whom, when, and from which address.",
      (parameters) => becomeProgram("audit", parameters),
    ),
    databaseCommand("tokens", {
      description: "Revokes tokens before they expire.",
      parts: {
        revoke: "revokes a token, all tokens of a session or a key, or older ones of a subject",
      },
      examples: ["stowage tokens revoke --jti 6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f"],
    }),
    ...accessOfPeople(),
    databaseCommand("keys", {
      description: "Changes the keys that sign tokens, while the services run.",
      parts: {
        list: "lists the keys, oldest first, and what each of them does",
        rotate:
          "publishes a new key, signs with it after a delay, and removes the old one in the end",
        withdraw: "withdraws a key at once, and revokes all tokens that it signed",
      },
      examples: ["stowage keys rotate"],
    }),
  ];
}

/** The commands that fill the index. */
function indexCommands(): Command[] {
  return [
    databaseCommand("import", {
      description: "Imports uploads and folders into the index of a bucket.",
      parts: {
        ndjson: "a file of one JSON object a line, or - for stdin",
        dir: "the files of a directory",
        s3: "the objects of a bucket in an S3 store",
      },
      examples: [
        "stowage import dir ~/Pictures --bucket pictures.localhost --organisation acme",
        "stowage import ndjson uploads.ndjson",
      ],
    }),
    databaseCommand("sources", {
      description: "Adds, lists, runs and removes the places that folders of buckets mirror.",
      parts: {
        add: "adds an S3 bucket, or a directory",
        list: "lists the sources: state, last complete run, next run",
        runs: "lists the runs of a source: counts, duration, reason for a stop",
        sync: "runs a source now",
        pause: "stops the schedule of a source",
        resume: "ends a pause",
        remove: "removes a source, and its uploads from the index",
      },
      examples: [
        "stowage sources add s3 s3://acme-photos --bucket photos.example.com " +
          "--organisation acme \\\n    --name photos",
        "stowage sources sync photos",
      ],
    }),
    databaseCommand("buckets", {
      description: "Adds, lists and removes buckets.",
      parts: {
        add: "adds an empty bucket, and prints its ID",
        list: "lists the buckets, with what is in them",
        remove: "removes a bucket with everything in it",
      },
      examples: ["stowage buckets add photos.example.com --organisation acme"],
    }),
    databaseCommand("export", {
      description: "Writes what is in a bucket to stdout.",
      parts: { ndjson: "as JSON lines, which import ndjson reads" },
      examples: ["stowage export ndjson --bucket photos.example.com > photos.ndjson"],
    }),
    passedThrough(
      "check",
      "Compares stored documents, sizes, totals and skip indexes with the rows, or repairs them.",
      (parameters) => becomeProgram("check", parameters),
    ),
  ];
}

/** The commands for what people have allowed, and where they are signed in. */
function accessOfPeople(): Command[] {
  return [
    databaseCommand("sessions", {
      description: "Lists and ends the sessions of people.",
      parts: {
        list: "lists the sessions in which people are signed in, the newest first",
        end: "ends a session as if the person had signed out",
      },
      examples: ["stowage sessions list --login-name ada@example.com"],
    }),
    databaseCommand("consents", {
      description: "Lists and withdraws what people have allowed clients.",
      parts: {
        list: "lists the consents by login name and client",
        withdraw: "withdraws a person's consents to a client, and revokes its grants and tokens",
      },
      examples: ["stowage consents list --login-name ada@example.com"],
    }),
    databaseCommand("grants", {
      description: "Lists and revokes the grants that people have given clients.",
      parts: {
        list: "lists the grants, the newest first",
        revoke: "revokes a grant with its access tokens and refresh tokens",
      },
      examples: ["stowage grants list --login-name ada@example.com"],
    }),
  ];
}

interface CommandText {
  readonly description: string;
  /** The name of each part, and what it does. */
  readonly parts: Readonly<Record<string, string>>;
}

/** A command whose parts are those of the program of the same name, which uses a database. */
function databaseCommand(
  name: ProgramName,
  options: CommandText & {
    /** Command lines that people may want. */
    readonly examples: readonly string[];
    /** The parts that need the address of the issuer. */
    readonly issuerFor?: readonly string[];
  },
): Command {
  const { description, parts, examples, issuerFor = [] } = options;
  const heading = examples.length === 1 ? "Example" : "Examples";
  return partsCommand({
    name,
    description,
    parts,
    run: async (part, parameters) => {
      const environment = issuerFor.includes(part) ? { AUTH_URL: await issuer() } : {};
      await becomeProgram(name, [part, ...parameters], { environment });
    },
    help: `
It uses the database that DATABASE_URL or DATA_DIR names; each command's own --help says more.

${heading}:
${examples.map((example) => `  ${example}\n`).join("")}`,
  });
}

function partsCommand(
  options: CommandText & {
    readonly name: string;
    readonly help: string;
    readonly run: (part: string, parameters: readonly string[]) => Promise<void>;
  },
): Command {
  const { name, description, parts, help, run } = options;
  const command = new Command(name)
    .enablePositionalOptions()
    .helpCommand(false)
    .description(description)
    .addHelpText("after", help);
  for (const [part, partDescription] of Object.entries(parts)) {
    command.addCommand(passedThrough(part, partDescription, (parameters) => run(part, parameters)));
  }
  return command;
}

/** A command of another program, which reads everything after its name, `--help` included. */
function passedThrough(
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

/** The issuer that is set or was started last. Assertions and links are for one issuer only. */
async function issuer(): Promise<string | undefined> {
  return process.env.AUTH_URL || (await readLocalClient(dataDirOf(process.env)))?.authUrl;
}
