// Several processes of the product on one external PostgreSQL, behind load balancers for HTTP and MQTT.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../server/src/db/postgres/embedded-postgres.ts";
import { startBalancer } from "./balancer.ts";
import { createServerProcess, killPostgres, type Product } from "./product.ts";

type Member = Awaited<ReturnType<typeof createServerProcess>> & { parts: string };

export type Cluster = Pick<Product, "url" | "mqttPort" | "dataDir"> & {
  members: readonly Member[];
  databaseUrl: string;
  killDatabase(): Promise<void>;
  end(): Promise<void>;
};

const quiet = { info: () => undefined, warn: () => undefined, error: (line: string) => console.error(line) };

/** `parts` of each process. The database is restarted whenever it dies, within 5 s. */
export async function startCluster(parts: readonly string[], settings: Record<string, string> = {}): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), "psp-cluster-"));
  await chmod(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: join(dataDir, "postgres"), log: quiet, settings });
  const secret = (letter: string) => `${letter}0123456789abcdefghijklmnopqrstuvwxyz-${letter}`;
  const members: Member[] = [];
  for (const [n, own] of parts.entries()) {
    const process = await createServerProcess({
      DATABASE_URL: postgres.url,
      DATABASE_POOL: "8",
      DATA_DIR: join(dataDir, String(n)),
      PARTS: own,
      SESSION_SECRET: secret("s"),
      DISPLAY_PRIVATE_KEY: secret("d"),
      FIRMWARE_SIGNING_KEY: secret("f"),
    });
    members.push({ ...process, parts: own });
    // One after the other, because the first one creates the root account.
    await process.start();
  }
  const having = (part: string) => members.filter((one) => one.parts.includes(part));
  const http = await startBalancer(having("api").map(({ url }) => Number(new URL(url).port)));
  const mqtt = await startBalancer(having("gateway").map(({ mqttPort }) => mqttPort));
  return {
    url: `http://127.0.0.1:${http.port}`,
    mqttPort: mqtt.port,
    dataDir,
    members,
    databaseUrl: postgres.url,
    killDatabase: () => killPostgres(dataDir),
    async end() {
      await Promise.all([http.stop(), mqtt.stop()]);
      await Promise.all(members.map((one) => one.stop()));
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 30 });
    },
  };
}
