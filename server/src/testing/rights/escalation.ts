// Colluding accounts that try to gain rights by role and account calls, and the limit of their rights (T-05).
import { makeTestId } from "@psp/contract/permission/forest.testing.ts";
import {
  type AccountNode,
  type Forest,
  type PermissionsDoc,
  rightsOf,
  type RoleNode,
} from "@psp/contract/permission/oracle.testing.ts";
import { plantForest, signInAll, objectIdsOf } from "./account-forest.ts";
import { type Chance, pick } from "../chance.ts";
import { findGroup, findMaxRights, findRightsOver } from "./escalation-bound.ts";
import { everything, lend, vary } from "./escalation-roles.ts";
import type { Person, World } from "../world.ts";
import { hashToken, randomToken } from "../../kit/tokens.ts";

export type EscalationResult = {
  calls: number;
  accepted: number;
  /** Number of accounts outside of the group, where a gain would be found. */
  others: number;
  /** Final grants beyond the joint starting rights. */
  gains: string[];
};

const stolen = "copper-meadow-whistle";
async function readForest(world: World): Promise<Map<string, AccountNode>> {
  const roleRows = await world.ctx.db.selectFrom("role").select(["id", "permissions", "is_deleted"]).execute();
  const roles = new Map<string, RoleNode>(
    roleRows.map((row) => [
      row.id,
      { id: row.id, deleted: row.is_deleted, permissions: row.permissions as PermissionsDoc },
    ]),
  );
  const rows = await world.ctx.db.selectFrom("account").select(["id", "parent_id", "role_id", "is_deleted"]).execute();
  const nodes = new Map<string, AccountNode>(
    rows.map((row) => [
      row.id,
      { id: row.id, parent: null, children: [], role: roles.get(row.role_id ?? "") ?? null, deleted: row.is_deleted },
    ]),
  );
  for (const row of rows) {
    const [node, parent] = [nodes.get(row.id), nodes.get(row.parent_id ?? "")];
    if (!node || !parent) continue;
    node.parent = parent;
    parent.children.push(node);
  }
  return nodes;
}

type Ring = {
  world: World;
  forest: Forest;
  chance: Chance;
  actors: Person[];
  /** Who made the accepted calls so far. These members are chosen more often than others. */
  able: Person[];
  roleIds: string[];
  /** Roles that members of the group have or had. */
  heldIds: string[];
  /** Roles that each member has made. */
  madeIds: Map<string, string[]>;
  accountIds: string[];
};
type Visible = { roles: string[]; accounts: string[] };
type Move = { method: string; path: string; body?: Record<string, unknown> };

/** Weighted by repetition: creating, using and then changing roles is the way to more power. */
const likely = [
  ...(["makeRole", "makeRole", "makeAccount", "makeAccount", "editRole", "editRole", "editRole"] as const),
  ...(["giveRole", "giveRole", "takeRole", "takeOver", "handRoleOver", "deleteRole", "deleteAccount"] as const),
  ...(["editHeld", "editHeld", "moveAccount", "moveMember", "moveMember"] as const),
];

/** Chooses the next call. Most of these calls may be allowed; some are always refused. */
function nextMove(ring: Ring, actor: Person, visible: Visible, ownDoc: PermissionsDoc, serial: number): Move {
  const { chance, forest } = ring;
  const doc = () => {
    const dice = chance.below(16);
    if (dice === 0) return everything;
    if (dice < 8) return lend(ownDoc, chance);
    return vary(dice < 13 ? ownDoc : pick(forest.roles, chance).permissions, chance);
  };
  // Usually picks from what the actor can see, as a user would; otherwise from all ids known so far.
  const from = (seen: string[], all: string[]) => pick(chance.below(5) > 0 && seen.length > 0 ? seen : all, chance);
  const made = ring.madeIds.get(actor.id) ?? [];
  const role = () => (made.length > 0 && chance.below(3) > 0 ? pick(made, chance) : from(visible.roles, ring.roleIds));
  const account = () => from(visible.accounts, ring.accountIds);
  const owner = () => (chance.below(3) > 0 ? actor.id : account());
  const move = (id: string): Move => {
    const more = chance.below(3) > 0 ? {} : { role: role() };
    const parent = chance.below(2) > 0 ? actor.id : account();
    const body = { acceptRegistration: true, directParentAccount: parent, ...more };
    return { method: "PUT", path: `/api/account/${id}`, body };
  };
  const moves: Record<(typeof likely)[number], () => Move> = {
    makeRole: () => ({
      method: "POST",
      path: "/api/role",
      body: { name: `Made ${serial}`, owner: owner(), permissions: doc() },
    }),
    editRole: () => ({ method: "PUT", path: `/api/role/${role()}`, body: { permissions: doc() } }),
    editHeld: () => ({
      method: "PUT",
      path: `/api/role/${from(
        visible.roles.filter((id) => ring.heldIds.includes(id)),
        ring.heldIds,
      )}`,
      body: { permissions: doc() },
    }),
    handRoleOver: () => ({ method: "PUT", path: `/api/role/${role()}`, body: { owner: owner() } }),
    deleteRole: () => ({ method: "DELETE", path: `/api/role/${role()}` }),
    makeAccount: () => ({
      method: "POST",
      path: "/api/account",
      body: { name: `Account ${serial}`, role: role(), email: `made-${serial}@example.com` },
    }),
    giveRole: () => ({ method: "PUT", path: `/api/account/${account()}`, body: { role: role() } }),
    takeRole: () => ({ method: "PUT", path: `/api/account/${actor.id}`, body: { role: role() } }),
    takeOver: () => ({
      method: "PUT",
      path: `/api/account/${account()}`,
      body: { credentialChanges: [{ operation: "ADD", email: `thief-${serial}@example.com`, newPassword: stolen }] },
    }),
    deleteAccount: () => ({ method: "DELETE", path: `/api/account/${account()}` }),
    moveAccount: () => move(account()),
    moveMember: () => move(pick(ring.actors, chance).id),
  };
  return moves[pick(likely, chance)]();
}

/** Deleted actors see nothing. */
async function findVisible(world: World, actor: Person): Promise<Visible> {
  const ids = async (path: string) => {
    const reply = await world.call(actor, "GET", `${path}?limit=100`);
    return reply.status < 300 ? reply.list.map((row) => String(row["_id"])) : [];
  };
  return { roles: await ids("/api/role"), accounts: await ids("/api/account") };
}

/** Adds an invited or taken-over account to the group. */
async function join(ring: Ring, id: string): Promise<void> {
  const token = randomToken();
  const { db, clock } = ring.world.ctx;
  const now = clock.date();
  await db.updateTable("credential").set({ step: 2 }).where("account_id", "=", id).where("step", "=", 0).execute();
  const credential = await db
    .selectFrom("credential")
    .select("id")
    .where("account_id", "=", id)
    .where("is_deleted", "=", false)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("session")
    .values({
      id: makeTestId(8, 0, ring.actors.length),
      token_hash: hashToken(token),
      account_id: id,
      credential_id: credential.id,
      created_at: now,
      last_used_at: now,
      expires_at: new Date(now.getTime() + 86_400_000),
    })
    .execute();
  ring.actors.push({ ...ring.world.root, id, token });
  if (!ring.accountIds.includes(id)) ring.accountIds.push(id);
}

/** Lets an account wait for a review, because only such accounts can be moved. */
async function signUp({ ctx }: World, id: string, serial: number): Promise<void> {
  const row = { id: makeTestId(9, 1, serial), account_id: id, email: `waiting-${serial}@example.com`, step: -1 };
  const rest = { position: 9, password_hash: null, reg_token: null, verify_token: null, created_at: ctx.clock.date() };
  await ctx.db
    .insertInto("credential")
    .values({ ...row, ...rest })
    .execute();
}

/** Inserts the forest, lets one to three accounts collude for up to `steps` calls, and returns their gains. */
export async function playEscalation(
  world: World,
  forest: Forest,
  chance: Chance,
  steps: number,
): Promise<EscalationResult> {
  const planted = await plantForest(world.ctx.db, forest);
  const tokens = await signInAll(world.ctx, planted);
  world.server.sessions.forget();
  const candidates = [...tokens.keys()].filter((node) => node.parent !== null && rightsOf(node) !== null);
  if (candidates.length === 0) return { calls: 0, accepted: 0, others: 0, gains: [] };
  const colluders = Array.from({ length: 1 + chance.below(3) }, () => pick(candidates, chance));
  const group = findGroup(forest, colluders);
  const { ring: ringNodes, docs: startDocs } = group;
  const others = forest.accounts.filter((node) => !ringNodes.has(node));
  const ownDocs = new Map([...ringNodes].map((node) => [node.id, rightsOf(node)]));
  const bounds = new Map(others.map((node) => [node.id, findMaxRights(group, node)]));

  const ring: Ring = {
    world,
    forest,
    chance,
    actors: [...ringNodes].flatMap((node) => {
      const token = tokens.get(node);
      return token === undefined ? [] : [{ ...world.root, id: node.id, token }];
    }),
    able: [],
    roleIds: [...forest.roles.map(({ id }) => id), ...forest.accounts.map((_, n) => objectIdsOf(n).role)],
    heldIds: [...ringNodes].flatMap(({ role }) => role?.id ?? []),
    madeIds: new Map(),
    accountIds: forest.accounts.map(({ id }) => id),
  };
  const result: EscalationResult = { calls: 0, accepted: 0, others: others.length, gains: [] };
  for (; result.calls < steps; result.calls += 1) {
    const actor = pick(ring.able.length > 0 && chance.below(2) > 0 ? ring.able : ring.actors, chance);
    const doc = ownDocs.get(actor.id) ?? pick(startDocs, chance);
    const { method, path, body } = nextMove(ring, actor, await findVisible(world, actor), doc, result.calls);
    if (body && "acceptRegistration" in body) await signUp(world, path.slice("/api/account/".length), result.calls);
    const reply = await world.call(actor, method, path, body ? { body } : {});
    if (reply.status >= 500) result.gains.push(`${method} ${path} answered ${reply.status}`);
    if (reply.status >= 300) continue;
    result.accepted += 1;
    ring.able.push(actor);
    if (typeof body?.["role"] === "string") ring.heldIds.push(body["role"]);
    if (body && "credentialChanges" in body) await join(ring, reply.id);
    if (method !== "POST") continue;
    if (path === "/api/role") {
      ring.roleIds.push(reply.id);
      ring.madeIds.getOrInsertComputed(actor.id, () => []).push(reply.id);
    } else await join(ring, reply.id);
  }

  const now = await readForest(world);
  const members = ring.actors.flatMap(({ id }) => now.get(id) ?? []).filter((node) => !node.deleted);
  for (const { id } of others) {
    const target = now.get(id);
    if (!target) continue;
    for (const member of members) {
      for (const gained of findRightsOver([member], target)) {
        if (!bounds.get(id)?.has(gained)) result.gains.push(`${member.id} gained "${gained}" over ${id}`);
      }
    }
  }
  return result;
}
