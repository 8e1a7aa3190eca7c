/**
 * Override: a code whose exchange failed by a fault of ours may be exchanged again.
 *
 * The statement that uses up a code may be committed although its answer is lost. The client gets
 * 503 without tokens, and tries again. oidc-provider would then refuse the code and revoke the
 * grant, although nobody has got tokens for the code. So this process remembers such codes, and
 * their next exchange may use them again.
 */
import type Provider from "oidc-provider";
import type { AuthorizationCode, DeviceCode, KoaContextWithOIDC } from "oidc-provider";
import { currentContext } from "./library.ts";

/** A code that a client exchanges for tokens. */
export type Code = AuthorizationCode | DeviceCode;

/** A code in an exchange. */
export interface ExchangedCode extends Pick<Code, "kind" | "jti"> {
  /** Whether its last exchange has failed by a fault of ours. */
  hasFailed: boolean;
}

/** With a member that the types of the library leave out. */
type FoundCode = Code & { consumed?: unknown };

/** The most codes to remember; beyond that, the oldest is forgotten. Most codes live a minute. */
const codesMax = 10_000;

export class FailedExchanges {
  /** The IDs of codes, the oldest first. */
  readonly #failed = new Set<string>();
  /** Codes that a failed exchange had used up before this exchange found them. */
  readonly #usedUp = new WeakSet<object>();
  readonly #begun = new WeakMap<object, ExchangedCode>();

  /** Watches the token endpoint, and lets it find the codes that are remembered. */
  constructor(provider: Provider) {
    for (const model of [provider.AuthorizationCode, provider.DeviceCode]) {
      const find = model.find as (...parameters: unknown[]) => Promise<FoundCode | undefined>;
      const findCode = async (...parameters: unknown[]) => {
        const code = await find.apply(model, parameters);
        const isExchange = currentContext()?.oidc.route === "token";
        if (code?.consumed && isExchange && this.#failed.has(code.jti)) {
          this.#usedUp.add(code);
          code.consumed = undefined;
        }
        return code;
      };
      Object.assign(model, { find: findCode });
    }
    provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => {
      await next();
      const code = this.#begun.get(ctx);
      if (code !== undefined && ctx.status >= 500) this.#remember(code.jti);
    });
  }

  /**
   * An exchange begins to use up a code. A failed exchange allows one retry, if it had used up the
   * code. Without this rule, two concurrent exchanges would both succeed.
   */
  begin(ctx: KoaContextWithOIDC, code: Code): ExchangedCode {
    const { kind, jti } = code;
    const hasFailed = this.#failed.delete(jti) && this.#usedUp.has(code);
    const exchanged = { kind, jti, hasFailed };
    this.#begun.set(ctx, exchanged);
    return exchanged;
  }

  /** The code whose exchange the request has begun. */
  codeOf(ctx: KoaContextWithOIDC): ExchangedCode | undefined {
    return this.#begun.get(ctx);
  }

  #remember(id: string): void {
    this.#failed.add(id);
    const [oldest] = this.#failed;
    if (oldest !== undefined && this.#failed.size > codesMax) this.#failed.delete(oldest);
  }
}
