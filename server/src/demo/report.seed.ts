// A scheduled report of the demo's customer.
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { toJsonb } from "../db/storable.ts";
import { uuidv7 } from "../kit/uuid.ts";
import type { SeededAccount } from "./account.seed.ts";

/** The server plans its next time when it starts. */
export async function seedReport(ctx: Context, tx: Tx, owner: SeededAccount, email: string): Promise<void> {
  const login = await tx.selectFrom("credential").select("id").where("email", "=", email).executeTakeFirstOrThrow();
  const id = uuidv7(ctx.clock.now());
  await tx
    .insertInto("report")
    .values({
      id,
      owner_id: owner.id,
      owner_path: owner.path,
      name: "Weekly numbers",
      creator_id: login.id,
      query: toJsonb({
        filters: {},
        range: "lastWeek",
        by: null,
        open: false,
        compare: "previous",
        content: ["summary", "ranking", "chart", "gaps"],
        formats: ["pdf"],
      }),
      schedule: toJsonb({ every: "week", on: "mo", at: "07:00", zone: "Europe/Berlin" }),
      language: "en",
      is_enabled: true,
      handled_to: ctx.clock.date(),
      check_at: ctx.clock.date(),
    })
    .execute();
  await tx.insertInto("report_recipient").values({ report_id: id, email, position: 1 }).execute();
}
