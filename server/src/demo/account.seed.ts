// Seeds the demo's accounts, a sign-up that waits for review (AC-04), and scheduled reports.
import { newestAgreement } from "@psp/contract/legal/agreements.ts";
import type { Insertable } from "kysely";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { allocatePathLabels } from "../db/account-path.ts";
import type { Tables } from "../db/tables.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { cities, streets } from "./world.seed.ts";
import { toJsonb } from "../db/storable.ts";

export type SeededAccount = { id: string; name: string; path: string; parentAccounts: string[] };

/** Creates an account below `parent`; `where` selects its city and street. */
export async function seedAccount(
  ctx: Context,
  tx: Tx,
  name: string,
  parent: SeededAccount,
  where: number,
  roleId: string | null = null,
  more: Partial<Insertable<Tables["account"]>> = {},
): Promise<SeededAccount> {
  const [label = ""] = await allocatePathLabels(tx, 1);
  const id = uuidv7(ctx.clock.now());
  const place = cities[where % cities.length] ?? cities[0];
  const made = { id, name, path: parent.path + label, parentAccounts: [...parent.parentAccounts, parent.id] };
  await tx
    .insertInto("account")
    .values({
      id,
      name,
      parent_id: parent.id,
      ancestor_ids: made.parentAccounts,
      path: made.path,
      role_id: roleId,
      street: streets[where % streets.length] ?? null,
      street_number: String(1 + where * 3),
      zip: place.zip,
      city: place.city,
      country: place.country,
      ...more,
    })
    .execute();
  return made;
}

/** Creates an account like a real sign-up: below the root account and without a role. Its password is random and unknown. */
export async function seedSignUp(ctx: Context, tx: Tx, root: SeededAccount): Promise<void> {
  const now = ctx.clock.now();
  const { id } = await seedAccount(ctx, tx, "Willow Interiors", root, 0, null, {
    phone: "+49 40 5550142",
    street: "Harbour Lane",
    street_number: "18",
    zip: "20095",
    city: "Hamburg",
    country: "Germany",
    supplier: "Northwind Dealers",
  });
  const acceptedAt = new Date(now).toISOString();
  await tx
    .insertInto("credential")
    .values({
      id: uuidv7(now),
      account_id: id,
      email: "hanna.weide@willow.example.com",
      step: -1,
      legal: toJsonb({
        firstName: "Hanna",
        familyName: "Weide",
        department: "Store Planning",
        dpaAcceptedAt: acceptedAt,
        eulaAcceptedAt: acceptedAt,
        dpaVersion: newestAgreement.date,
      }),
    })
    .execute();
}

const demoReports = [
  {
    name: "Weekly numbers",
    query: {
      range: "lastWeek",
      open: false,
      groupBy: "none",
      content: ["summary", "ranking", "chart", "gaps"],
      formats: ["pdf"],
    },
    schedule: { every: "week", on: "mo", at: "07:00", zone: "Europe/Berlin" },
  },
  {
    name: "Sales of last month by tag",
    query: {
      range: "lastMonth",
      open: true,
      groupBy: "tag",
      content: ["summary", "sales", "chart", "ranking"],
      formats: ["pdf", "xlsx"],
    },
    schedule: { every: "month", on: 2, at: "07:00", zone: "Europe/Berlin" },
  },
];

/** Scheduled reports of the account. The server plans their next times when it starts. */
export async function seedReports(ctx: Context, tx: Tx, owner: SeededAccount, email: string): Promise<void> {
  const login = await tx.selectFrom("credential").select("id").where("email", "=", email).executeTakeFirstOrThrow();
  for (const { name, query, schedule } of demoReports) {
    const id = uuidv7(ctx.clock.now());
    await tx
      .insertInto("report")
      .values({
        id,
        owner_id: owner.id,
        owner_path: owner.path,
        name,
        creator_id: login.id,
        query: toJsonb({ filters: {}, by: null, compare: "previous", ...query }),
        schedule: toJsonb(schedule),
        language: "en",
        is_enabled: true,
        handled_to: ctx.clock.date(),
        check_at: ctx.clock.date(),
      })
      .execute();
    await tx.insertInto("report_recipient").values({ report_id: id, email, position: 1 }).execute();
  }
}
