// Two processes of the product on a primary, which read from its replica. Tests pause the replica's replay.
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../db/connection/connect.ts";
import type { Clock } from "../../kit/clock.ts";
import { until } from "../devices/device-world.ts";
import { startBeside } from "../scenes/second-server.ts";
import { createWorld } from "../world.ts";
import { startReplicatedPostgres } from "./tcp-postgres.ts";

const role = "psp";
const asRole = (url: string) => url.replace("postgres@", `${role}@`);

/** A primary with the database `psp`, which belongs to a role without other rights, and its replica. */
async function startReplica(settings: string[]) {
  const postgres = await startReplicatedPostgres(settings);
  const admin = await connect(postgres.firstUrl);
  await admin.query(`create role ${role} login`);
  await admin.query(`create database psp owner ${role}`);
  const replica = async () => connect(postgres.secondUrlOf("psp"));
  await until("the replica has the database", () =>
    replica().then(
      (client) => client.end().then(() => true),
      () => false,
    ),
  );
  /** In another database, statements do not conflict with replay. */
  async function onReplica(text: string, name = "postgres"): Promise<Record<string, unknown>[]> {
    const client = await connect(postgres.secondUrlOf(name));
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  }
  return {
    postgres,
    env: {
      DATABASE_URL: asRole(postgres.firstUrlOf("psp")),
      DATABASE_READ_URL: asRole(postgres.secondUrlOf("psp")),
    },
    onReplica,
    async pause() {
      await onReplica("select pg_wal_replay_pause()");
      const state = () => onReplica("select pg_get_wal_replay_pause_state() as state");
      await until("replay is paused", async () => (await state())[0]?.["state"] === "paused");
    },
    resume: async () => void (await onReplica("select pg_wal_replay_resume()")),
    async stop() {
      await admin.end();
      await postgres.stop();
    },
  };
}

export type ReplicaWorld = Awaited<ReturnType<typeof createReplicaWorld>>;

export async function createReplicaWorld({ settings = [], clock }: { settings?: string[]; clock?: Clock } = {}) {
  const database = await startReplica(settings);
  const dataDir = mkdtempSync(join(tmpdir(), "psp-replica-"));
  const world = await createWorld({ env: database.env, ...(clock ? { clock } : {}) });
  const beside = await startBeside(world, "api", dataDir, clock ? { clock } : {}, database.env);
  const counter = async () => (await world.ctx.metrics.replicaReads.get()).values;
  return {
    ...database,
    world,
    beside,
    /** Why the primary has answered instead of the replica. */
    reasons: async () => new Set((await counter()).map(({ labels }) => labels.reason)),
    /** Statements of the first process that the replica, or the primary instead of it, has answered. */
    async answered(by: "replica" | "primary"): Promise<number> {
      return (await counter()).reduce((sum, { labels, value }) => sum + (labels.answered_by === by ? value : 0), 0);
    },
    async stop() {
      await beside.stop();
      await world.stop();
      await database.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
