/** `sessions`: lists the sessions in which people are signed in. */
import { type ListedSession, listSessions, type SessionFilter } from "../store/list-sessions.ts";
import { limitOption, parseLoginName, parseText } from "./arguments.ts";
import { type Columns, printRows, timeText } from "./output.ts";
import { runCommands } from "./run-commands.ts";

const columns: Columns<ListedSession> = {
  "SESSION ID": (session) => session.sessionUid,
  "LOGIN NAME": (session) => session.loginName ?? session.subject,
  "SIGNED IN": (session) => timeText(session.signedInAt.getTime()),
  EXPIRES: (session) => timeText(session.expiresAt.getTime()),
  CLIENTS: (session) => session.clients.map(({ clientId, name }) => name || clientId).join(", "),
};

interface ListOptions extends Pick<SessionFilter, "loginName"> {
  organisation?: string;
  limit: number;
  json?: true;
}

await runCommands(
  {
    name: "sessions",
    description: "Lists the sessions of people.",
    examples: ["stowage sessions list --login-name ada@example.com"],
  },
  (program, withPool) => {
    program
      .command("list")
      .description("Lists the sessions in which people are signed in, the newest first.")
      .option("--login-name <name>", "only those of this person", parseLoginName)
      .option("--organisation <id>", "only those of this organisation's people", parseText)
      .option(...limitOption())
      .option("--json", "print a JSON array")
      .action(async ({ loginName, organisation: organisationId, limit, json }: ListOptions) => {
        const filter = { loginName, organisationId };
        printRows(await withPool((pool) => listSessions(pool, filter, limit)), columns, {
          json,
          none: "sessions; they begin when people sign in",
        });
      });
  },
);
