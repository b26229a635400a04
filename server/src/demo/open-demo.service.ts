// The demo's passwords are known: without the demo they must not be served to others.
import { ConfigError, isLoopback } from "../config.ts";
import type { Context } from "../context.ts";
import { holdsDemo } from "./demo.seed.ts";

/** Throws ConfigError where a database with the demo's world would be served to other machines without DEMO=on. */
export async function refuseOpenDemo(ctx: Context): Promise<void> {
  const { host, demo } = ctx.config;
  if (demo.on || isLoopback(host) || !(await holdsDemo(ctx))) return;
  throw new ConfigError(
    "this database holds the demo world with its known passwords: start with DEMO=on, with HOST=127.0.0.1, or with another DATA_DIR",
  );
}
