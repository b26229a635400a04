// Tests registration by invitation end to end: mails, links, and everything that must be refused (RG-01, RG-02, RG-05,
// RG-06, T-08).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { invitedForm, newAddress, password, registrantsOf } from "../testing/scenes/registrants.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type Reply, type World } from "../testing/world.ts";

const publicUrl = "https://console.example.com";
const dayMs = 86_400_000;
const clock = createStillClock();
let world: World;
let dealer: Person;
let role: string;
let people: ReturnType<typeof registrantsOf>;

beforeAll(async () => {
  world = await createWorld({ clock, env: { PUBLIC_URL: publicUrl, TRUST_PROXY: "1", PARTS: "api,worker" } });
  people = registrantsOf(world);
  dealer = await world.account("Dealer", world.root, fullPermissions);
  const body = { name: "Customer", owner: dealer.id, permissions: { owner: { canViewOwner: { me: true } } } };
  role = (await world.call(world.root, "POST", "/api/role", { body })).id;
});
afterAll(() => world.stop());

const account = async (id: string) => (await world.call(dealer, "GET", `/api/account/${id}`)).body;
const step = (reply: Reply) => reply.at("registrationInfo.0.stepReached");
const refused = (reply: Reply) => [reply.status, reply.code, reply.at("details.field")];
async function registered() {
  const invited = await people.invite(dealer, role);
  expect((await people.put(invited.link, invitedForm())).status).toBe(200);
  return { ...invited, verify: await people.linkIn(invited.email, 2) };
}
const altered = (link: string) => link.slice(0, -1) + (link.endsWith("A") ? "B" : "A");

test("RG-01 RG-02 LE-01 invitation, form, verification mail, login: each step shows only its state", async () => {
  const { id, email, link } = await people.invite(dealer, role);
  expect((await people.get(link)).body).toEqual({
    registrationInfo: [{ stepReached: 0, credentials: { email } }],
    readonlyAddress: false,
    name: "Invited Ltd",
    phone: null,
    street: null,
    streetNumber: null,
    zip: null,
    city: null,
    country: null,
  });
  const before = clock.now();
  const sent = await people.put(link, invitedForm({ supplier: "Sensor Shop Ltd., Leeds" }));
  expect(sent.body).toEqual({ registrationInfo: [{ stepReached: 1 }] });
  expect((await people.get(link)).body).toEqual({ registrationInfo: [{ stepReached: 1 }] });
  expect((await people.login(email)).status).toBe(401);

  const [, mail] = await people.mailsTo(email, 2);
  expect(mail?.subject).toBe("Please confirm your email address");
  const verify = await people.linkIn(email, 2);
  expect(mail?.html).toContain(`href="${publicUrl}${verify}"`);
  expect(verify).toMatch(new RegExp(`^${link}/verify/[\\w-]{43}$`));
  for (let n = 0; n < 2; n += 1)
    expect((await people.get(verify)).body).toEqual({ organization: "Byron Analytics", email });
  expect(step(await people.get(link))).toBe(1);
  expect((await people.login(email)).status).toBe(401);
  expect((await people.put(verify)).body).toEqual({ registrationInfo: [{ stepReached: 2 }] });
  expect((await people.get(link)).body).toEqual({ registrationInfo: [{ stepReached: 2 }] });
  expect((await people.login(email)).at("user._id")).toBe(id);

  const stored = await account(id);
  expect(stored).toMatchObject({
    name: "Byron Analytics",
    phone: "+49 30 1234",
    street: "Kanalweg",
    streetNumber: "7 a",
    zip: "10115",
    city: "Bad Homburg",
    country: "Germany",
    supplier: "Sensor Shop Ltd., Leeds",
    registrationInfo: [
      {
        stepReached: 2,
        legal: {
          firstName: "Anne-Marie",
          familyName: "O'Brien",
          department: "Sales & Service",
          dpaVersion: "2024-06-01",
        },
      },
    ],
  });
  const { legal } = (stored as { registrationInfo: { legal: Record<string, string> }[] }).registrationInfo[0] ?? {};
  for (const at of [legal?.["dpaAcceptedAt"], legal?.["eulaAcceptedAt"]]) {
    expect(Date.parse(at ?? "")).toBeGreaterThanOrEqual(before);
    expect(Date.parse(at ?? "")).toBeLessThanOrEqual(clock.now());
  }
  const trail = await world.trail(id);
  expect(trail.map(({ action }) => action)).toEqual(expect.arrayContaining(["create", "register", "verify-email"]));
});

test("RG-02 nothing stored can open a registration: no link, code or password", async () => {
  const { id, link, verify } = await registered();
  const [regId = "", code = ""] = [link.split("/").at(-1), verify.split("/").at(-1)];
  for (const secret of [regId, code]) expect(Buffer.from(secret, "base64url").length * 8).toBeGreaterThanOrEqual(128);
  const credential = await world.ctx.db.selectFrom("credential").selectAll().where("account_id", "=", id).execute();
  const kept = JSON.stringify([credential, await world.trail(id)]);
  for (const secret of [regId, code, password]) expect(kept).not.toContain(secret);
});

describe("invalid links", () => {
  test("RG-06 modified, foreign and invented links are not found, at every call", async () => {
    const [a, b] = [await people.invite(dealer, role), await people.invite(dealer, role)];
    const regId = (link: string) => link.split("/").at(-1) ?? "";
    const tries = [
      altered(a.link),
      a.link.replace(a.id, b.id),
      a.link.replace(regId(a.link), regId(b.link)),
      a.link.replace(a.id, "not-an-id"),
      a.link.replace(regId(a.link), "x".repeat(250)),
      a.link.replace(regId(a.link), "%00"),
    ];
    for (const link of tries) {
      expect([(await people.get(link)).code, (await people.put(link, invitedForm())).code], link).toEqual([105, 105]);
      expect((await people.put(`${link}/verify/code`)).code, link).toBe(105);
      expect((await people.put(link, {})).status, link).toBe(404);
    }
    expect(step(await people.get(a.link))).toBe(0);
  });

  test("RG-06 a form is accepted once; a second one reveals nothing", async () => {
    const { id, email, link } = await registered();
    const again = await people.put(
      link,
      invitedForm({ name: "Somebody Else", credentials: { password: "another seven geese" } }),
    );
    expect(refused(again)).toEqual([400, 102, "regId"]);
    expect(JSON.stringify(again.body)).not.toContain("Byron");
    expect(await account(id)).toMatchObject({ name: "Byron Analytics" });
    expect(await people.mailCount(email)).toBe(2);
  });

  test("RG-06 a code works only after the form, and once", async () => {
    const { link, email } = await people.invite(dealer, role);
    for (const code of ["", "null", "undefined", "0".repeat(43)].filter(Boolean))
      expect(refused(await people.put(`${link}/verify/${code}`))).toEqual([400, 102, "code"]);
    await people.put(link, invitedForm());
    const verify = await people.linkIn(email, 2);
    expect(refused(await people.put(altered(verify)))).toEqual([400, 102, "code"]);
    expect((await people.put(verify)).status).toBe(200);
    for (const reply of [await people.put(verify), await people.get(verify), await people.end(verify)])
      expect(refused(reply)).toEqual([400, 102, "code"]);
    expect((await people.login(email)).status).toBe(200);
  });

  test("RG-06 another registration's code is refused", async () => {
    const [a, b] = [await registered(), await registered()];
    const mixed = `${a.link}/verify/${b.verify.split("/").at(-1)}`;
    expect(refused(await people.put(mixed))).toEqual([400, 102, "code"]);
    expect(step(await people.get(a.link))).toBe(1);
    for (const reply of [await people.get(mixed), await people.end(mixed)])
      expect(refused(reply)).toEqual([400, 102, "code"]);
    expect((await people.put(b.verify)).status).toBe(200);
  });

  test("RG-06 a code is valid for seven days; afterwards its mailbox gets one new one", async () => {
    const [inTime, late] = [await registered(), await registered()];
    clock.moveTo(clock.now() + 7 * dayMs - 1000);
    expect((await people.put(inTime.verify)).status).toBe(200);
    clock.moveTo(clock.now() + 1000);
    for (let n = 0; n < 2; n += 1) {
      const seen = await people.get(late.verify);
      expect([...refused(seen), seen.at("details.reason")]).toEqual([400, 102, "code", "expired"]);
      expect(JSON.stringify(seen.body)).not.toContain(late.email);
    }
    expect(await people.mailCount(late.email)).toBe(2);
    const reply = await people.put(late.verify);
    expect([...refused(reply), reply.at("details.reason")]).toEqual([400, 102, "code", "expired"]);
    expect((await people.login(late.email)).status).toBe(401);
    expect(refused(await people.put(late.verify))).toEqual([400, 102, "code"]);
    expect(await people.mailCount(late.email)).toBe(3);
    expect((await people.put(await people.linkIn(late.email, 3))).status).toBe(200);
    expect((await people.login(late.email)).status).toBe(200);
    dealer = { ...dealer, token: await world.token(dealer) };
  });

  test("RG-01 RG-06 an invitation is valid for thirty days; then its link says so", async () => {
    const [inTime, late] = [await people.invite(dealer, role), await people.invite(dealer, role)];
    clock.moveTo(clock.now() + 30 * dayMs - 1000);
    expect((await people.put(inTime.link, invitedForm())).status).toBe(200);
    const verify = await people.linkIn(inTime.email, 2);
    clock.moveTo(clock.now() + 1000);
    for (const reply of [await people.get(late.link), await people.put(late.link, invitedForm())])
      expect([reply.status, reply.code, reply.at("details.reason")]).toEqual([404, 105, "The invitation has expired"]);
    // No second mail. The housekeeping may already have deleted the record of the first one.
    expect(await people.mailCount(late.email)).toBeLessThanOrEqual(1);
    expect((await people.put(verify)).status).toBe(200);
    dealer = { ...dealer, token: await world.token(dealer) };
    world.root.token = await world.token(world.root);
  });

  test("RG-06 deleting the account invalidates its links", async () => {
    const [invited, waiting] = [await people.invite(dealer, role), await registered()];
    for (const { id } of [invited, waiting]) await world.call(dealer, "DELETE", `/api/account/${id}`);
    for (const link of [invited.link, waiting.link]) expect((await people.get(link)).code).toBe(105);
    expect((await people.put(invited.link, invitedForm())).code).toBe(105);
    expect((await people.put(waiting.verify)).code).toBe(105);
  });

  test("RG-06 T-08 of concurrent forms and confirmations exactly one succeeds", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, email, link } = await people.invite(dealer, role);
      const words = Array.from({ length: 4 }, (_, n) => `${n} geese over the grey quay`);
      const forms = await Promise.all(
        words.map((word, n) => people.put(link, invitedForm({ name: `Winner ${n}`, credentials: { password: word } }))),
      );
      const won = forms.findIndex(({ status }) => status === 200);
      expect(forms.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400]);
      expect(await people.mailCount(email)).toBe(2);
      const verify = await people.linkIn(email, 2);
      const confirmed = await Promise.all(Array.from({ length: 4 }, () => people.put(verify)));
      expect(confirmed.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400]);
      expect(await account(id)).toMatchObject({ name: `Winner ${won}` });
      expect((await people.login(email, words[won])).status).toBe(200);
    }
  });
});

describe("somebody else registered with my address", () => {
  test("RG-06 T-08 refusing keeps the invited account without the login, and frees the address", async () => {
    const { id, email, link, verify } = await registered();
    const live = await world.live(dealer);
    expect((await people.end(verify)).body).toEqual({});
    await live.heard("account", "update", id);
    live.close();
    expect(await account(id)).toMatchObject({ name: "Byron Analytics", credentials: [], isDeleted: false });
    for (const reply of [
      await people.get(link),
      await people.get(verify),
      await people.put(verify),
      await people.end(verify),
    ])
      expect(reply.code).toBe(105);
    expect((await people.login(email)).status).toBe(401);
    expect((await world.trail(id)).at(-1)).toMatchObject({ action: "decline", account_id: null });
    const again = await world.call(dealer, "POST", "/api/account", { body: { name: "Again", role, email } });
    expect(again.status).toBe(200);
  });

  test("RG-06 T-08 an expired code can refuse, a wrong one can't", async () => {
    const { id, verify } = await registered();
    expect(refused(await people.end(altered(verify)))).toEqual([400, 102, "code"]);
    expect(await account(id)).toMatchObject({ credentials: [{}] });
    clock.moveTo(clock.now() + 8 * dayMs);
    dealer = { ...dealer, token: await world.token(dealer) };
    expect((await people.end(verify)).status).toBe(200);
    expect(await account(id)).toMatchObject({ credentials: [] });
  });

  test("RG-06 T-08 concurrent confirmation and refusal: one succeeds", async () => {
    for (let round = 0; round < 4; round += 1) {
      const { email, verify } = await registered();
      const replies = await Promise.all([people.put(verify), people.end(verify), people.put(verify)]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      expect((await people.login(email)).status).toBe(replies[1]?.status === 200 ? 401 : 200);
    }
  });
});

describe("form contents", () => {
  test("RG-05 T-08 an e-mail from an invited person and unknown fields are refused", async () => {
    const { link, email } = await people.invite(dealer, role);
    const tries: [object, string][] = [
      [{ credentials: { password, email } }, "credentials.email"],
      [{ credentials: { password, email: newAddress() } }, "credentials.email"],
      [{ email }, "email"],
      [{ stepReached: 2 }, "stepReached"],
      [{ role }, "role"],
      [{ parentAccounts: [] }, "parentAccounts"],
      [{ readonlyAddress: false }, "readonlyAddress"],
      [{ credentials: { password, repeatPassword: password } }, "credentials.repeatPassword"],
    ];
    for (const [change, field] of tries)
      expect(refused(await people.put(link, invitedForm(change as never))), field).toEqual([400, 402, field]);
    expect(step(await people.get(link))).toBe(0);
    expect(await people.mailCount(email)).toBe(1);
  });

  test("RG-05 a locked address is kept, sent or not; the rest is accepted", async () => {
    const stored = { street: "Alte Gasse", streetNumber: "1", zip: "20095", city: "Hamburg", country: "Germany" };
    for (const form of [
      invitedForm({ country: "France", city: "Paris", street: "Rue" }),
      Object.fromEntries(
        Object.entries(invitedForm()).filter(
          ([key]) => !["street", "streetNumber", "zip", "city", "country", "name", "phone"].includes(key),
        ),
      ),
    ]) {
      const { id, link } = await people.invite(dealer, role);
      const { streetNumber, ...rest } = stored;
      await world.ctx.db
        .updateTable("account")
        .set({ ...rest, street_number: streetNumber, phone: "040 1", readonly_address: true })
        .where("id", "=", id)
        .execute();
      expect((await people.get(link)).body).toMatchObject({ ...stored, readonlyAddress: true, phone: "040 1" });
      expect((await people.put(link, form)).status).toBe(200);
      expect(await account(id)).toMatchObject({
        ...stored,
        readonlyAddress: true,
        name: form["name"] ?? "Invited Ltd",
        phone: form["phone"] ?? "040 1",
      });
    }
  });

  test("RG-05 an account that already has a country has a locked address", async () => {
    const { id, link } = await people.invite(dealer, role);
    await world.call(dealer, "PUT", `/api/account/${id}`, { body: { country: "Austria", city: "Wien" } });
    expect((await people.get(link)).at("readonlyAddress")).toBe(true);
    expect((await people.put(link, invitedForm())).status).toBe(200);
    expect(await account(id)).toMatchObject({ country: "Austria", city: "Wien", street: null });
  });

  test("RG-04 an open address must be complete", async () => {
    const { link } = await people.invite(dealer, role);
    for (const field of ["name", "phone", "street", "streetNumber", "zip", "city", "country"]) {
      const reply = await people.put(link, invitedForm({ [field]: undefined }));
      expect(refused(reply), field).toEqual([400, field === "name" ? 108 : 104, field]);
    }
    expect(step(await people.get(link))).toBe(0);
  });

  test("RG-04 AU-07 a bad password is reported with reasons and keeps the link valid", async () => {
    const { link, email } = await people.invite(dealer, role);
    const short = await people.put(link, invitedForm({ credentials: { password: "brief heron" } }));
    expect([...refused(short), short.at("details.requirements")]).toEqual([
      400,
      205,
      "credentials.password",
      ["At least 15 characters"],
    ]);
    for (const word of [`I read ${email} here`, "Byron Analytics forever"])
      expect((await people.put(link, invitedForm({ credentials: { password: word } }))).code, word).toBe(205);
    expect((await people.put(link, invitedForm({ credentials: {} }))).code).toBe(206);
    expect((await people.put(link, invitedForm())).status).toBe(200);
  });
});

test("RG-02 reviewers see progress live", async () => {
  const { id, link, email } = await people.invite(dealer, role);
  const live = await world.live(dealer);
  await people.put(link, invitedForm());
  const reported = await live.heard("account", "update", id);
  expect(reported.obj).toMatchObject({ name: "Byron Analytics", registrationInfo: [{ stepReached: 1 }] });
  expect(JSON.stringify(live.frames)).not.toContain(link.split("/").at(-1));
  await people.put(await people.linkIn(email, 2));
  await expect
    .poll(() => live.frames.filter(({ obj }) => obj?.["_id"] === id).at(-1)?.obj?.["registrationInfo"])
    .toMatchObject([{ stepReached: 2 }]);
  live.close();
});
