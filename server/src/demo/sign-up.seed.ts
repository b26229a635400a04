// Somebody who has signed up in the demo world and waits for review, so that the list of those is seen (AC-04).
import { newestAgreement } from "@psp/contract/legal/agreements.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { nextLabels } from "../db/path-label.ts";
import { uuidv7 } from "../kit/uuid.ts";

/** Below the root account, without a role, as a sign-up leaves it. No one knows the password. */
export async function seedSignUp(ctx: Context, tx: Tx, root: { id: string; path: string }): Promise<void> {
  const now = ctx.clock.now();
  const [label = ""] = await nextLabels(tx, 1);
  const id = uuidv7(now);
  await tx
    .insertInto("account")
    .values({
      id,
      name: "Willow Interiors",
      parent_id: root.id,
      ancestor_ids: [root.id],
      path: root.path + label,
      role_id: null,
      phone: "+49 40 5550142",
      street: "Harbour Lane",
      street_number: "18",
      zip: "20095",
      city: "Hamburg",
      country: "Germany",
      supplier: "Northwind Dealers",
    })
    .execute();
  const acceptedAt = new Date(now).toISOString();
  await tx
    .insertInto("credential")
    .values({
      id: uuidv7(now),
      account_id: id,
      email: "hanna.weide@willow.example.com",
      step: -1,
      legal: JSON.stringify({
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
