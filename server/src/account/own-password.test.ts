// Changing one's own password with the present one: compared when it is given, as slow to guess as at the door (ADR 0022).
import { createHash } from "node:crypto";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashPassword } from "../auth/password.service.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";

const present = "violet-harbour-lantern";
const next = "seven geese over the quay";
const clock = createStillClock();
let world: World;

beforeAll(async () => void (world = await createWorld({ clock })));
afterAll(() => world.stop());

async function person(name: string): Promise<Person> {
  const made = await world.account(name, world.root, fullPermissions);
  const password_hash = await hashPassword(present);
  await world.ctx.db.updateTable("credential").set({ password_hash }).where("account_id", "=", made.id).execute();
  return made;
}
const change = (by: Person, of: Person, currentPassword?: unknown, newPassword = next): Promise<Reply> => {
  const one = { operation: "CHANGE_PASSWORD", email: of.email, newPassword };
  const credentialChanges = [{ ...one, ...(currentPassword === undefined ? {} : { currentPassword }) }];
  return world.call(by, "PUT", `/api/account/${of.id}`, { body: { credentialChanges } });
};
const opens = async (who: Person, password: string) =>
  (await world.call(null, "POST", "/api/auth/login", { body: { email: who.email, password } })).status === 200;

test("AC-11 with the right present password it changes, and this session stays", async () => {
  const who = await person("Ada");
  const other = { ...who, token: await world.token(who) };
  expect((await change(who, who, present)).status).toBe(200);
  expect((await world.call(who, "GET", "/api/auth/user")).status).toBe(200);
  expect((await world.call(other, "GET", "/api/auth/user")).status).toBe(401);
  expect(await opens(who, next)).toBe(true);
});

test("AC-11 a wrong present password refuses the whole call and says which field it was", async () => {
  const who = await person("Bea");
  const body = {
    name: "Renamed",
    credentialChanges: [
      { operation: "CHANGE_PASSWORD", email: who.email, newPassword: next, currentPassword: "not-my-password-1" },
      { operation: "ADD", email: `second-${who.email}`, newPassword: next },
    ],
  };
  const reply = await world.call(who, "PUT", `/api/account/${who.id}`, { body });
  expect([reply.status, reply.code, reply.at("error")]).toEqual([400, 205, "Invalid password."]);
  expect(reply.at("details")).toEqual({
    field: "credentialChanges.currentPassword",
    message: "The current password is wrong",
  });
  const account = await world.call(who, "GET", `/api/account/${who.id}`);
  expect([account.at("name"), account.at("credentials")]).toEqual(["Bea", [{ email: who.email }]]);
  expect(await opens(who, present)).toBe(true);
  expect((await change(who, who, "")).code).toBe(205);
});

test("AC-11 a repeat under the same key is told the first answer, and nothing stored makes the new password easier to guess", async () => {
  const who = await person("Uma");
  const body = {
    credentialChanges: [
      { operation: "CHANGE_PASSWORD", email: who.email, newPassword: next, currentPassword: present },
      { operation: "ADD", email: `second-${who.email}`, newPassword: next },
    ],
  };
  const path = `/api/account/${who.id}`;
  const send = () => world.call(who, "PUT", path, { body, headers: { "idempotency-key": "password" } });
  const first = await send();
  expect(first.status).toBe(200);
  expect((await send()).body).toEqual(first.body);
  const kept = await world.ctx.db.selectFrom("idempotency").selectAll().where("account_id", "=", who.id).execute();
  const digest = createHash("sha256")
    .update(`PUT ${path}\n${JSON.stringify(body)}`)
    .digest();
  expect(kept.map((row) => row.request_hash.equals(digest))).toEqual([false]);
});

test("AC-11 after five wrong ones within a minute even the right one waits, at once as well as one by one", async () => {
  const who = await person("Cora");
  const burst = await Promise.all(Array.from({ length: 20 }, (_, n) => change(who, who, `not-my-password-${n}`)));
  const statuses = burst.map(({ status }) => status);
  expect(
    [statuses.filter((one) => one === 400), statuses.filter((one) => one === 429)].map((all) => all.length),
  ).toEqual([5, 15]);
  const limited = await change(who, who, present);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await opens(who, present)).toBe(true);
  clock.moveTo(clock.now() + 61_000);
  expect((await change(who, who, present)).status).toBe(200);
});

test("AC-11 without it, and for somebody else's login, the call is what it was", async () => {
  const [who, other] = [await person("Dora"), await person("Emma")];
  expect((await change(who, who)).status).toBe(200);
  expect(await opens(who, next)).toBe(true);
  expect((await change(world.root, other)).status).toBe(200);
  const reply = await change(world.root, other, present, "another seven geese here");
  expect([reply.status, reply.code, reply.at("details.field")]).toEqual([
    400,
    402,
    "credentialChanges.currentPassword",
  ]);
  expect(await opens(other, next)).toBe(true);
  expect((await change(who, who, 7)).code).toBe(402);
});

test("AC-11 a stranger learns nothing by it, and a bad new password is told only to those who know the present one", async () => {
  const [who, stranger] = [await person("Frida"), await person("Greta")];
  expect((await change(stranger, who, present)).code).toBe(105);
  const blind = await change(who, who, "not-my-password-1", "short");
  expect(blind.at("details.field")).toBe("credentialChanges.currentPassword");
  expect((await change(who, who, present, "short")).at("details.field")).toBe("credentialChanges.newPassword");
});
