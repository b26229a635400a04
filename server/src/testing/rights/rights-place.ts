// A tree of the permission matrix in a running server: inserted, signed in, and restored after an allowed write.
import type { AccountNode, Forest } from "@psp/contract/permission/oracle.testing.ts";
import { sql } from "kysely";
import { type Planted, plantForest, sealTokens, signInAll } from "./account-forest.ts";
import type { RightsCase } from "./rights-things.ts";
import type { Person, Reply, World } from "../world.ts";

export type Place = { forest: Forest; planted: Planted[]; askers: AccountNode[]; as(node: AccountNode): Person };

export async function setUpPlace(world: World, forest: Forest): Promise<Place> {
  const planted = await plantForest(world.ctx.db, forest);
  const tokens = await signInAll(world.ctx, planted);
  await sealTokens(world.ctx, forest);
  world.server.sessions.forget();
  return {
    forest,
    planted,
    askers: [...tokens.keys()],
    as: (node) => ({ ...world.root, id: node.id, token: tokens.get(node) ?? "" }),
  };
}

const tables: [RegExp, string][] = [
  [/^\/api\/sensor/, "sensor"],
  [/^\/api\/measurement/, "location"],
  [/^\/api\/role/, "role"],
  [/^\/api\/init_token/, "init_token"],
  [/^\/api\/artifact/, "firmware"],
  [/^\/api\/account/, "account"],
];

/** Reverts an allowed write, so that the forest matches the oracle again. */
export async function undoWrite(world: World, place: Place, one: RightsCase, reply: Reply, n: number): Promise<void> {
  const table = tables.find(([form]) => form.test(one.path))?.[1] ?? "";
  const { db } = world.ctx;
  if (one.method === "POST") {
    await sql`update ${sql.table(table)} set is_deleted = true where id::text = ${reply.id}`.execute(db);
    return;
  }
  const { node, caller } = place.planted[n] as Planted;
  if (table === "account") {
    await sql`update account set is_deleted = false, role_id = ${node.role?.id ?? null} where id = ${node.id}`.execute(
      db,
    );
    await sql`delete from session where account_id = ${node.id}`.execute(db);
    await sql`delete from credential where account_id = ${node.id}`.execute(db);
    await signInAll(world.ctx, [{ node, caller }], new Map([[node, place.as(node).token]]));
    world.server.sessions.forget();
    return;
  }
  const id = one.path.split("/")[3] ?? "";
  await sql`update ${sql.table(table)} set is_deleted = false, owner_id = ${node.id}, owner_path = ${caller.path}
    where id::text = ${id}`.execute(db);
  if (table === "sensor")
    await sql`update sensor set location_id = null, firmware_id = null where id = ${id}`.execute(db);
  if (table === "init_token") await sql`update init_token set firmware_id = null where id = ${id}`.execute(db);
}

/** Returns the error code, 0 for success, or the negated status if the response has no code. */
export function codeOf(reply: Reply): number {
  if (reply.status < 300) return 0;
  return typeof reply.code === "number" ? reply.code : -reply.status;
}
