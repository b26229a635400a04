// Tests two sign-ups with one address: no one gets a login through the other's confirmation, and a rejected sign-up does not
// block the address (RG-03, T-08).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { invitedForm, newAddress, newClient, registrantsOf, signUpForm } from "../testing/scenes/registrants.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type Reply, type World } from "../testing/world.ts";

const own = "violet-harbour-lantern";
const attackers = "copper-meadow-whistle";
let world: World;
let dealer: Person;
let people: ReturnType<typeof registrantsOf>;

beforeAll(async () => {
  const env = { PUBLIC_URL: "https://console.example.com", TRUST_PROXY: "1", PARTS: "api,worker" };
  world = await createWorld({ clock: createStillClock(), env });
  people = registrantsOf(world);
  dealer = await world.account("Dealer", world.root, fullPermissions);
});
afterAll(() => world.stop());

const review = (id: string, body: JsonObject) => world.call(world.root, "PUT", `/api/account/${id}`, { body });
const accept = () => ({ acceptRegistration: true, directParentAccount: dealer.id });
const step = (reply: Reply) => reply.at("registrationInfo.0.stepReached");

test("RG-03 T-08 a second sign-up changes neither name nor step, but removes the password", async () => {
  const email = newAddress();
  await people.signUp(signUpForm(email));
  const before = await people.awaiting(world.root, email);
  const other = signUpForm(email, { name: "Thief", credentials: { email, password: own } });
  const reply = await people.signUp(other);
  expect([reply.status, reply.body]).toEqual([200, {}]);
  expect(await people.awaiting(world.root, email)).toEqual(before);
  const traces = (await world.trail(before._id)).map(({ action, after }) => [action, JSON.stringify(after)] as const);
  expect(traces.map(([action]) => action)).toEqual(["sign-up", "sign-up"]);
  expect(traces[1]?.[1]).toContain('"hasPassword":false');
});

async function setByMailbox(email: string, password: string, mailsBefore: number): Promise<Reply> {
  const headers = { "x-forwarded-for": newClient() };
  await world.call(null, "PUT", "/api/auth/login/forgot_password", { body: { email }, headers });
  const link = await people.linkIn(email, mailsBefore + 1);
  return world.call(null, "PUT", `/api/auth/login${link.replace("/reset-password", "/reset_password")}`, {
    body: { password },
    headers,
  });
}

test.each([
  ["while it waits", false],
  ["when it is accepted already", true],
])(
  "RG-03 T-08 who signs up first with somebody else's address, %s, gets no login by their confirmation",
  async (_when, isAccepted) => {
    const victim = newAddress();
    await people.signUp(signUpForm(victim, { credentials: { email: victim, password: attackers } }));
    const { _id } = await people.awaiting(world.root, victim);
    let mails = 0;
    if (isAccepted) {
      expect(step(await review(_id, accept()))).toBe(1);
      mails += 1;
    }
    await people.signUp(signUpForm(victim, { credentials: { email: victim, password: own } }));
    const notice = (await people.mailsTo(victim, (mails += 1)))[mails - 1]?.text ?? "";
    expect(notice).toContain("neither of them works");
    expect(notice).toContain("set your password with 'Forgot password?' on the login page");
    expect(notice).not.toContain("nothing was changed");
    if (!isAccepted) {
      expect(step(await review(_id, accept()))).toBe(1);
      mails += 1;
    }
    const verify = await people.linkIn(victim, isAccepted ? 1 : mails);
    expect((await people.put(verify)).body).toEqual({ registrationInfo: [{ stepReached: 2 }] });
    expect((await people.login(victim, attackers)).status).toBe(401);
    expect((await people.login(victim, own)).status).toBe(401);
    expect((await people.login(victim, "null-and-void-password")).status).toBe(401);
    expect((await setByMailbox(victim, own, mails)).status).toBe(200);
    expect((await people.login(victim, attackers)).status).toBe(401);
    expect((await people.login(victim, own)).at("user._id")).toBe(_id);
    await people.signUp(signUpForm(victim, { credentials: { email: victim, password: attackers } }));
    expect((await people.mailsTo(victim, mails + 2))[mails + 1]?.text).toContain("nothing was changed");
    expect((await people.login(victim, own)).status).toBe(200);
  },
);

test("RG-03 T-08 a sign-up takes nothing from an invited, registered person", async () => {
  const role = await world.call(world.root, "POST", "/api/role", {
    body: { name: "Invited", owner: dealer.id, permissions: { owner: { canViewOwner: { me: true } } } },
  });
  const { email, link } = await people.invite(dealer, role.id);
  expect((await people.put(link, invitedForm())).status).toBe(200);
  await people.signUp(signUpForm(email, { credentials: { email, password: attackers } }));
  expect((await people.mailsTo(email, 3))[2]?.text).toContain("nothing was changed");
  await people.put(await people.linkIn(email, 2));
  expect((await people.login(email, attackers)).status).toBe(401);
  expect((await people.login(email)).status).toBe(200);
});

test("RG-03 T-06 T-27 concurrent sign-ups with a rejected address create one", async () => {
  for (let round = 0; round < 4; round += 1) {
    const email = newAddress();
    await people.signUp(signUpForm(email));
    const { _id } = await people.awaiting(world.root, email);
    await review(_id, { acceptRegistration: false });
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, () => people.signUp(signUpForm(email))),
      ...(round % 2 === 0 ? [] : [world.call(world.root, "DELETE", `/api/account/${_id}`)]),
    ]);
    expect(replies.slice(0, 4).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect([undefined, 200, 404]).toContain(replies[4]?.status);
    const found = await world.call(world.root, "GET", `/api/account?email=${encodeURIComponent(email)}`);
    expect(found.list).toHaveLength(1);
    expect(found.list[0]?.["_id"]).not.toBe(_id);
  }
});
