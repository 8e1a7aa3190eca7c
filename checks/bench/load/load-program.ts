/** The load generator: a process of its own, so that what it takes is not what is measured. */
import { obeyOrders } from "../programs/obey-orders.ts";
import { runLoad } from "./run-load.ts";

obeyOrders(runLoad);
