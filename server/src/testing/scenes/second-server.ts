// Another process on the database of a world, with the same secrets.
import { pino } from "pino";
import { readConfig } from "../../config.ts";
import { type Server, startServer } from "../../process/server.ts";
import type { World } from "../world.ts";

export async function startBeside(
  world: World,
  parts: string,
  dataDir: string,
  options?: Parameters<typeof startServer>[2],
  env: Record<string, string> = {},
): Promise<Server> {
  const { secrets } = world.ctx.config;
  const config = readConfig({
    DATABASE_URL: world.databaseUrl,
    DATABASE_POOL: "4",
    DATA_DIR: dataDir,
    HOST: "127.0.0.1",
    PORT: "0",
    MQTT_PORT: "0",
    LOG_LEVEL: "silent",
    SESSION_SECRET: secrets.session,
    DISPLAY_PRIVATE_KEY: secrets.display,
    FIRMWARE_SIGNING_KEY: secrets.firmware,
    PARTS: parts,
    ...env,
  });
  return startServer(config, pino({ level: "silent" }), options);
}
