/** The other end of `ForkedProgram`: what a forked program does with its orders. */
import { errorText } from "@stowage/process";

/** What comes back for an order. */
export type Reply<Report> = { readonly report: Report } | { readonly fault: string };

/** Obeys every order that comes, until the program that gives them ends. */
export function obeyOrders<Order, Report>(obey: (order: Order) => Promise<Report>): void {
  const reply = (content: Reply<Report>) => void process.send?.(content);
  process.on("message", (order: Order) => {
    obey(order).then(
      (report) => reply({ report }),
      (error) => reply({ fault: errorText(error) }),
    );
  });
  process.on("disconnect", () => process.exit());
}
