// Inserts a random tree of the permission oracle into PostgreSQL, with one object of each kind per account.
import { createHash, randomBytes } from "node:crypto";
import { toMac } from "@psp/contract/kit/mac.ts";
import { asActor, makeTestId, ancestorIds } from "@psp/contract/permission/forest.testing.ts";
import type { AccountNode, Forest } from "@psp/contract/permission/oracle.testing.ts";
import { sql } from "kysely";
import type { Caller } from "../../kit/caller.ts";
import type { Context } from "../../context.ts";
import type { Database, Tx } from "../../db/database.ts";
import { toSealPurpose } from "../../init-token/init-token.wire.ts";
import { seal } from "../../kit/sealing.ts";
import { hashToken } from "../../kit/tokens.ts";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** An account's label. Labels are at both ends of the alphabet and next to each other, to expose wrong range limits. */
function labelOf(n: number): string {
  const last = digits[n % 62] ?? "0";
  const block = Math.floor(n / 62);
  const front = ["zzzz", "0000", "ZZZZ", "zzz0", "9zzz"][block] ?? String(block).padStart(4, "a");
  return front + last;
}

export type Planted = { caller: Caller; node: AccountNode };

/** Ids of the objects of an account by its index in the forest. */
export function objectIdsOf(n: number) {
  return {
    sensor: toMac(0x0200_0000_0000 + n),
    location: makeTestId(3, 0, n),
    role: makeTestId(4, 0, n),
    initToken: makeTestId(5, 0, n),
    firmware: makeTestId(6, 0, n),
    firmwareForChildren: makeTestId(7, 0, n),
  };
}

/** Tables that refer to the tree, ordered for deletion. */
const hanging =
  `device_check, tunnel, claim_miss, update_task, sensor_issue, monitoring_status, occupancy_point, counter, dead_letter,
  device_epoch, device, sensor_location, sensor_batch, sensor, init_token, firmware, location_former_zone,
  event_location, event, location,
  session, known_browser, credential`.split(",");

/** Deleting few rows is ten times faster than truncating forty tables. */
async function removeTree(tx: Tx): Promise<void> {
  const statements = [
    ...hanging.map((table) => `delete from ${table}`),
    "update account set role_id = null",
    ...["role", "account", "owned_count"].map((table) => `delete from ${table}`),
  ];
  await sql.raw(statements.join("; ")).execute(tx);
}

/** Replaces the current tree; returns every account as a caller. */
export async function plantForest(db: Database, forest: Forest): Promise<Planted[]> {
  const paths = new Map<AccountNode, string>();
  // Shuffled, so that an account's label does not depend on its position.
  const order = forest.accounts.map((_, n) => (n * 37 + 11) % Math.max(forest.accounts.length, 1));
  const unique = new Set(order).size === order.length ? order : forest.accounts.map((_, n) => n);
  for (const [n, node] of forest.accounts.entries()) {
    paths.set(node, (node.parent === null ? "" : (paths.get(node.parent) ?? "")) + labelOf(unique[n] ?? n));
  }
  const pathOf = (node: AccountNode) => paths.get(node) ?? "";
  await db.transaction().execute(async (tx) => {
    await removeTree(tx);
    await insertPeople(tx, forest, pathOf);
    await insertThings(tx, forest.accounts, pathOf);
  });
  return forest.accounts.map((node) => ({ node, caller: callerOf(node, pathOf(node)) }));
}

/**
 * Opens a session for every account that is not deleted. Returns the bearer tokens: those in `given`, else new ones.
 */
export async function signInAll(
  ctx: Context,
  planted: readonly Planted[],
  given = new Map<AccountNode, string>(),
): Promise<Map<AccountNode, string>> {
  const now = ctx.clock.date();
  const tokens = new Map<AccountNode, string>();
  for (const { node } of planted) {
    if (!node.deleted) tokens.set(node, given.get(node) ?? randomBytes(32).toString("base64url"));
  }
  const credentials = [...tokens.keys()].map(({ id }) => ({
    id,
    account_id: id,
    email: `${id}@example.com`,
    step: 2,
    created_at: now,
  }));
  const sessions = [...tokens].map(([{ id }, token]) => ({
    id,
    token_hash: hashToken(token),
    account_id: id,
    credential_id: id,
    created_at: now,
    last_used_at: now,
    expires_at: new Date(now.getTime() + 86_400_000),
  }));
  await ctx.db.insertInto("credential").values(credentials).execute();
  await ctx.db.insertInto("session").values(sessions).execute();
  return tokens;
}

/** Gives the init tokens values that the server can decrypt. */
export async function sealTokens(ctx: Context, { accounts }: Forest): Promise<void> {
  for (const n of accounts.keys()) {
    const id = objectIdsOf(n).initToken;
    const sealed = seal(ctx.config, toSealPurpose(id), `secret of ${id}`);
    await ctx.db.updateTable("init_token").set({ token_sealed: sealed }).where("id", "=", id).execute();
  }
}

async function insertPeople(tx: Tx, { accounts, roles }: Forest, pathOf: (node: AccountNode) => string) {
  const [root] = accounts;
  if (root === undefined) throw new Error("A forest has at least its root");
  const held = roles.map((role) => ({
    id: role.id,
    owner_id: root.id,
    owner_path: pathOf(root),
    name: `held ${role.id}`,
    permissions: JSON.stringify(role.permissions),
    is_deleted: role.deleted,
  }));
  await tx.insertInto("role").values(held).execute();
  const rows = accounts.map((node) => ({
    id: node.id,
    name: node.id,
    parent_id: node.parent?.id ?? null,
    ancestor_ids: ancestorIds(node),
    path: pathOf(node),
    role_id: node.role?.id ?? null,
    is_deleted: node.deleted,
  }));
  await tx.insertInto("account").values(rows).execute();
}

async function insertThings(tx: Tx, accounts: AccountNode[], pathOf: (node: AccountNode) => string) {
  const owned = accounts.map((node, n) => ({ n, owner_id: node.id, owner_path: pathOf(node), things: objectIdsOf(n) }));
  const rows = <T extends object>(make: (one: (typeof owned)[number]) => T) =>
    owned.map((one) => ({ owner_id: one.owner_id, owner_path: one.owner_path, ...make(one) }));
  await tx
    .insertInto("role")
    .values(rows(({ things }) => ({ id: things.role, name: things.role, permissions: "{}" })))
    .execute();
  await tx
    .insertInto("sensor")
    .values(rows(({ things }) => ({ id: things.sensor, type: "APS" })))
    .execute();
  await tx
    .insertInto("location")
    .values(rows(({ things }) => ({ id: things.location, name: things.location })))
    .execute();
  const firmware = { type: "APS", precedence: "1" };
  await tx
    .insertInto("firmware")
    .values([
      ...rows(({ things }) => ({ ...firmware, id: things.firmware, name: "1.0.0", children_can_view: false })),
      ...rows(({ things }) => ({
        ...firmware,
        id: things.firmwareForChildren,
        name: "1.0.1",
        children_can_view: true,
      })),
    ])
    .execute();
  const token = (id: string) => createHash("sha256").update(id).digest();
  await tx
    .insertInto("init_token")
    .values(
      rows(({ things: { initToken: id } }) => ({ id, name: id, token_hash: token(id), token_sealed: Buffer.from(id) })),
    )
    .execute();
}

function callerOf(node: AccountNode, path: string): Caller {
  return {
    ...asActor(node),
    path,
    name: node.id,
    sessionId: node.id,
    credentialId: node.id,
    email: `${node.id}@example.com`,
    request: { id: node.id, idempotency: null, ifMatch: null },
  };
}
