/** A person with a browser: signs in by the form, and notes what the browser complains of. */
import { patienceMs } from "@stowage/process/testing";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { PagePrograms } from "./page-programs.ts";
import type { World } from "./world.ts";

export interface Visitor extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /**
   * Warnings and errors of the page in the console, uncaught errors, and violations of the content
   * security policy; not that nobody is signed in yet.
   */
  readonly complaints: readonly string[];
  /** A further tab of the same browser. */
  openTab(): Promise<Page>;
}

type VisitorOptions = Pick<
  BrowserContextOptions,
  "colorScheme" | "viewport" | "locale" | "reducedMotion" | "forcedColors"
>;

const wide = { width: 1440, height: 900 };

const reportViolations = `addEventListener("securitypolicyviolation", (event) =>
  reportViolation(event.violatedDirective + " forbids " + event.blockedURI));`;

/** Opens a browser that knows nobody: without cookies. */
export async function openVisitor(
  { browser, url }: Pick<World, "browser" | "url">,
  options: VisitorOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: wide,
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  context.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  await context.exposeBinding("reportViolation", (_, text: string) => complaints.push(text));
  await context.addInitScript({ content: reportViolations });
  context.on("console", (message) => {
    const isComplaint = ["error", "warning"].includes(message.type());
    const from = message.location().url;
    const isNobody = from === `${url}/session` && message.text().includes("status of 401");
    // Chromium asks for the icon of a tab with content, whose sandbox has another origin.
    const isOfPage = (from.startsWith(url) && from !== `${url}/favicon.ico`) || from === "";
    if (isComplaint && isOfPage && !isNobody) complaints.push(`${message.text()} (${from})`);
  });
  context.on("weberror", (error) => complaints.push(String(error.error())));
  return {
    context,
    complaints,
    page: await context.newPage(),
    openTab: () => context.newPage(),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Fills the form of the authorisation service in, which the browser shows or is about to. */
export async function fillSignInForm(
  page: Page,
  { person }: Pick<PagePrograms, "person">,
): Promise<void> {
  await page.getByLabel("Login name").fill(person.loginName);
  await page.getByLabel("Password").fill(person.password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Opens an address of the page as somebody who is not signed in yet, and signs in. */
export async function signIn(
  visitor: Visitor,
  programs: Pick<PagePrograms, "person" | "url">,
  path = "/",
): Promise<void> {
  await visitor.page.goto(new URL(path, programs.url).href);
  await fillSignInForm(visitor.page, programs);
  await visitor.page.waitForURL((url) => url.origin === programs.url);
}

/** Opens a browser, and an address of the page in it as a person who signs in. */
export async function openSignedIn(
  world: Pick<World, "browser" | "person" | "url">,
  path?: string,
): Promise<Visitor> {
  const visitor = await openVisitor(world);
  await signIn(visitor, world, path);
  return visitor;
}
