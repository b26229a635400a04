// Refuses to serve a demo database, whose passwords are public, to other machines.
import { isLoopback } from "../config.ts";
import { ConfigError } from "../environment.ts";
import type { Context } from "../context.ts";
import { isDemoDatabase } from "./demo.seed.ts";

/** Throws ConfigError if the database contains the demo, DEMO is not on, and the server listens on the network. */
export async function checkDemoExposure(ctx: Context): Promise<void> {
  const { host, demo } = ctx.config;
  if (demo.on || isLoopback(host) || !(await isDemoDatabase(ctx))) return;
  throw new ConfigError(
    "this database contains the demo data with its public passwords. Start with DEMO=on, with HOST=127.0.0.1, or with another DATA_DIR",
  );
}
