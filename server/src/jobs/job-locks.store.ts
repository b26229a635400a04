// Advisory locks of running jobs, all on one connection: one each would take a small pool's last, and leave none for the work.
import { sql } from "kysely";
import type { Database } from "../db/database.ts";

type Held = { users: number; opened: Promise<{ connection: Database; release(): void }> };

/** The connection is taken with the first lock and given back with the last; the locks die with it. */
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
  /** A connection carries one statement at a time; once one failed, who comes next takes another connection. */
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
    /** Runs `work` while no one else in any process runs a job of that name; false, at once, when somebody does. */
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

/** Takes a connection out of the pool until it is released. */
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
