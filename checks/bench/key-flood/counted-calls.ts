import { type AccessTokenValidator, TokenRefusedError } from "@stowage/access-token";

/** Calls of a validator, several under way at once, and what became of them. */
export class CountedCalls {
  /** How many came to which end: `accepted`, or the reason for the refusal. */
  readonly ends = new Map<string, number>();
  readonly #validator: AccessTokenValidator;
  readonly #underWay = new Set<Promise<void>>();

  constructor(validator: AccessTokenValidator) {
    this.#validator = validator;
  }

  /** `ended` is told how and when. */
  call(token: string, ended: (end: string, timeMs: number) => void = () => undefined): void {
    const call = this.#endOf(token).then((end) => {
      ended(end, performance.now());
      this.ends.set(end, (this.ends.get(end) ?? 0) + 1);
      this.#underWay.delete(call);
    });
    this.#underWay.add(call);
  }

  /** Rejects when a call failed otherwise than a validator may. */
  async allEnded(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #endOf(token: string): Promise<string> {
    try {
      await this.#validator.validate(token);
      return "accepted";
    } catch (error) {
      if (error instanceof TokenRefusedError) return error.reason;
      throw error;
    }
  }
}
