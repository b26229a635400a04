// Knows whether the replica answers, and asks it once a second, so that no read waits for one that is away or behind.
import type { Logger } from "pino";
import type pg from "pg";
import { connect } from "../connection/connect.ts";
import { dropConnection } from "../connection/pool-client.ts";
import type { WalPosition } from "./position.ts";

/** Why the primary answers. */
export type Reason = "unavailable" | "behind" | "failed" | "no replica" | "pooler" | "new primary";

type Dependencies = {
  url: string;
  findPosition(): Promise<WalPosition | null>;
  hasReached(client: pg.ClientBase, position: WalPosition): Promise<Reason | null>;
  /** Ends the connections to a replica that does not answer, so that their statements fail. */
  drop(): void;
  log: Logger;
};

const everyMs = 1000;
const answerMs = 2000;
const ofProduct = { application_name: "ps-platform" };

export function createReplicaWatch({ url, findPosition, hasReached, drop, log }: Dependencies) {
  let reason: Reason | null = "unavailable";
  let isKnown = false;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;

  function set(next: Reason | null, error?: unknown): void {
    if (isKnown && (next === null) === (reason === null)) return void (reason = next);
    [reason, isKnown] = [next, true];
    if (next === null) log.info("the replica answers reads");
    else log.warn({ reason: next, err: error }, "the replica can't answer reads; the primary does");
  }

  async function ask(): Promise<void> {
    const position = await findPosition().catch(() => undefined);
    // Nothing can be said about the replica without the primary.
    if (position === undefined) return;
    if (position === null) return set("new primary");
    try {
      client ??= await connect(url, { ...ofProduct, connectionTimeoutMillis: answerMs }, "replica");
      set(await hasReached(client, position));
    } catch (error) {
      set("unavailable", error);
      drop();
    }
    // Another connection may lead to another replica.
    if (reason === null || client === null) return;
    dropConnection(client);
    client = null;
  }

  async function run(): Promise<void> {
    running = ask();
    await running;
    if (!isStopped) timer = setTimeout(() => void run(), everyMs).unref();
  }

  return {
    /** Null while the replica may answer. */
    reason: () => reason,
    /** A read found out. The next answer of the replica to the watch ends it. */
    failed: set,
    start: run,
    async stop(): Promise<void> {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await running;
      if (client) dropConnection(client);
    },
  };
}
