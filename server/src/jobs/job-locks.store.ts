// Keeps the advisory locks of running jobs on one shared connection, because a connection per job could exhaust a small pool.
import { sql } from "kysely";
import type { Database } from "../db/database.ts";

type Held = { users: number; opened: Promise<{ connection: Database; release(): void }> };

/**
 * Takes a connection from the pool for the first lock, and returns it when the last lock is released. If the connection breaks, all
 * its locks are released.
 */
export function createJobLocks(db: Database) {
  let held: Held | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  function take(): Held {
    held ??= { users: 0, opened: hold(db) };
    held.users += 1;
    return held;
  }
  function leave(mine: Held): void {
    mine.users -= 1;
    if (mine.users > 0) return;
    if (held === mine) held = null;
    mine.opened.then(({ release }) => release()).catch(() => undefined);
  }
  /** Queues statements, because the connection runs one at a time. After a failure the next job opens a new connection. */
  async function ask(mine: Held, name: string, what: "pg_try_advisory_lock" | "pg_advisory_unlock"): Promise<boolean> {
    const key = sql`hashtextextended(${`psp job ${name}`}, 0)`;
    const asked = Promise.all([mine.opened, turn]).then(([{ connection }]) =>
      sql<{ is: boolean }>`select ${sql.raw(what)}(${key}) as is`.execute(connection),
    );
    turn = asked.catch(() => void (held = held === mine ? null : held));
    const { rows } = await asked;
    return rows[0]?.is === true;
  }

  return {
    /** Runs `work` and returns true, or returns false at once if any process is running a job of that name. */
    async whileAlone(name: string, work: () => Promise<void>) {
      const mine = take();
      try {
        if (!(await ask(mine, name, "pg_try_advisory_lock"))) return false;
        try {
          await work();
        } finally {
          await ask(mine, name, "pg_advisory_unlock");
        }
        return true;
      } finally {
        leave(mine);
      }
    },
  };
}

function hold(db: Database): Held["opened"] {
  return new Promise((resolve, reject) => {
    const released = Promise.withResolvers<void>();
    db.connection()
      .execute(async (connection) => {
        resolve({ connection, release: released.resolve });
        await released.promise;
      })
      .catch(reject);
  });
}
