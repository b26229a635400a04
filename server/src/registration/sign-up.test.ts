// Tests open sign-up from the form to the login, what it reveals, and every rule of the form (RG-03, RG-04, T-08).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newAddress, newClient, registrantsOf, signUpForm } from "../testing/scenes/registrants.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type Reply, type World } from "../testing/world.ts";

const own = "violet-harbour-lantern";
const clock = createStillClock();
let world: World;
let dealer: Person;
let people: ReturnType<typeof registrantsOf>;

beforeAll(async () => {
  const env = { PUBLIC_URL: "https://console.example.com", TRUST_PROXY: "1", PARTS: "api,worker" };
  world = await createWorld({ clock, env });
  people = registrantsOf(world);
  dealer = await world.account("Dealer", world.root, fullPermissions);
});
afterAll(() => world.stop());

const review = (id: string, body: JsonObject) => world.call(world.root, "PUT", `/api/account/${id}`, { body });
const accept = (more: JsonObject = {}) => ({ acceptRegistration: true, directParentAccount: dealer.id, ...more });
const step = (reply: Reply) => reply.at("registrationInfo.0.stepReached");

describe("from the form to the login", () => {
  test("RG-03 LE-01 sign-up, review with parent and role, confirmation, login", async () => {
    const email = newAddress();
    const before = clock.now();
    const live = await world.live(world.root);
    const reply = await people.signUp(signUpForm(email));
    expect([reply.status, reply.body]).toEqual([200, {}]);
    const waiting = await people.awaiting(world.root, email);
    await live.heard("account", "create", waiting._id);
    live.close();
    expect(waiting).toMatchObject({
      name: "Byron Analytics",
      role: null,
      credentials: [{ email }],
      parentAccounts: [world.root.id],
      phone: "+49 30 1234",
      city: "Bad Homburg",
      supplier: "Sensor Shop Ltd., Leeds",
      readonlyAddress: false,
      registrationInfo: [{ stepReached: -1, legal: { familyName: "O'Brien", dpaVersion: "2024-06-01" } }],
    });
    const { legal } = (waiting["registrationInfo"] as { legal: Record<string, string> }[])[0] ?? {};
    expect(Date.parse(legal?.["dpaAcceptedAt"] ?? "")).toBeGreaterThanOrEqual(before);
    expect(Date.parse(legal?.["eulaAcceptedAt"] ?? "")).toBeGreaterThanOrEqual(before);
    expect((await people.login(email)).status).toBe(401);
    expect(await people.mailCount(email)).toBe(0);

    const role = await world.call(world.root, "POST", "/api/role", {
      body: { name: "Customer", owner: dealer.id, permissions: { owner: { canViewOwner: { me: true } } } },
    });
    const accepted = await review(waiting._id, accept({ role: role.id }));
    expect([step(accepted), accepted.at("parentAccounts"), accepted.at("role._id")]).toEqual([
      1,
      [world.root.id, dealer.id],
      role.id,
    ]);
    expect((await people.login(email)).status).toBe(401);
    const verify = await people.linkIn(email);
    const link = verify.replace(/\/verify\/.*/, "");
    expect((await people.get(link)).body).toEqual({ registrationInfo: [{ stepReached: 1 }] });
    expect((await people.put(verify)).body).toEqual({ registrationInfo: [{ stepReached: 2 }] });
    expect((await people.put(verify)).code).toBe(102);
    const login = await people.login(email);
    expect([login.at("user._id"), login.at("user.role.name")]).toEqual([waiting._id, "Customer"]);
  });

  test("RG-03 rejected: a polite mail, no way forward, and the address is free again", async () => {
    const email = newAddress();
    await people.signUp(signUpForm(email));
    const { _id } = await people.awaiting(world.root, email);
    expect(step(await review(_id, { acceptRegistration: false }))).toBe(-2);
    const [mail] = await people.mailsTo(email);
    expect([mail?.subject, mail?.text]).toEqual([
      "Your registration on PS.Platform",
      expect.stringContaining('Unfortunately, we could not approve the registration of "Byron Analytics".'),
    ]);
    expect(mail?.text).not.toContain("http");
    expect((await people.login(email)).status).toBe(401);
    const again = signUpForm(email, { name: "Real Byron", credentials: { email, password: own } });
    expect((await people.signUp(again)).body).toEqual({});
    // The new sign-up replaces the rejected one completely, and no mail is sent.
    const next = await people.awaiting(world.root, email);
    expect([next._id === _id, next["name"]]).toEqual([false, "Real Byron"]);
    expect((await world.call(world.root, "GET", `/api/account/${_id}`)).code).toBe(105);
    expect((await world.trail(_id)).map(({ action }) => action)).toContain("delete");
    expect(await people.mailCount(email)).toBe(1);
    expect(step(await review(next._id, accept()))).toBe(1);
    await people.put(await people.linkIn(email, 2));
    expect((await people.login(email)).status).toBe(401);
    expect((await people.login(email, own)).at("user._id")).toBe(next._id);
  });

  test("RG-03 AC-13 T-06 concurrent acceptance and rejection: one wins, and mail and step agree", async () => {
    for (let round = 0; round < 6; round += 1) {
      const email = newAddress();
      await people.signUp(signUpForm(email));
      const { _id } = await people.awaiting(world.root, email);
      const replies = await Promise.all([
        review(_id, accept()),
        review(_id, { acceptRegistration: false }),
        review(_id, accept()),
      ]);
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
      expect(replies.filter(({ code }) => code === 102)).toHaveLength(2);
      const won = replies.find(({ status }) => status === 200);
      const mails = await people.mailsTo(email);
      expect(mails.map(({ subject }) => subject)).toEqual([
        step(won as Reply) === 1 ? "Please confirm your email address" : "Your registration on PS.Platform",
      ]);
    }
  });
});

describe("an address of an unaccepted sign-up", () => {
  const importOf = (email: string, role: string) => {
    const form = new FormData();
    form.append("role", role);
    form.append("file", new Blob([`Name;Email\nShop;${email.toUpperCase()}\n`]), "accounts.csv");
    const headers = { authorization: `Bearer ${dealer.token}` };
    return fetch(`${world.url}/api/import/sap`, { method: "POST", headers, body: form });
  };
  const roleOf = async () =>
    (
      await world.call(world.root, "POST", "/api/role", {
        body: {
          name: `Role ${newAddress()}`,
          owner: dealer.id,
          permissions: { owner: { canViewOwner: { me: true } } },
        },
      })
    ).id;
  const takers: [string, (email: string) => Promise<void>][] = [
    [
      "an invitation",
      async (email) => {
        const body = { name: "Invited Ltd", role: await roleOf(), email: email.toUpperCase() };
        expect((await world.call(dealer, "POST", "/api/account", { body })).status).toBe(200);
      },
    ],
    [
      "an import",
      async (email) => {
        const reply = await importOf(email, await roleOf());
        expect(await reply.json()).toMatchObject({ success: 1, irrelevant: 0, error: 0 });
      },
    ],
    [
      "a new login",
      async (email) => {
        const body = { credentialChanges: [{ operation: "ADD", email, newPassword: "violet-harbour-lantern" }] };
        expect((await world.call(world.root, "PUT", `/api/account/${dealer.id}`, { body })).status).toBe(200);
        expect((await people.login(email, "violet-harbour-lantern")).at("user._id")).toBe(dealer.id);
      },
    ],
  ];
  const states: [string, JsonObject | null][] = [
    ["waiting", null],
    ["rejected", { acceptRegistration: false }],
  ];
  test.each(
    takers.flatMap(([what, take]) => states.map(([state, decision]) => [what, state, take, decision] as const)),
  )("RG-03 AC-08 AC-09 T-08 goes to %s, and the sign-up that was %s is over", async (_what, _state, take, decision) => {
    const email = newAddress();
    await people.signUp(signUpForm(email));
    const { _id } = await people.awaiting(world.root, email);
    if (decision) expect((await review(_id, decision)).status).toBe(200);
    const live = await world.live(world.root);
    await take(email);
    await live.heard("account", "delete", _id);
    live.close();
    expect((await world.call(world.root, "GET", `/api/account/${_id}`)).code).toBe(105);
    expect((await review(_id, accept())).code).toBe(105);
    expect((await people.login(email)).status).toBe(401);
    const found = await world.call(world.root, "GET", `/api/account?email=${encodeURIComponent(email)}`);
    expect(found.list).toHaveLength(1);
    expect((await world.trail(_id)).map(({ action }) => action)).toContain("delete");
  });

  test("RG-03 AC-08 once accepted, the address is taken", async () => {
    const email = newAddress();
    await people.signUp(signUpForm(email));
    const { _id } = await people.awaiting(world.root, email);
    expect((await review(_id, accept())).status).toBe(200);
    const role = await roleOf();
    const body = { name: "Invited Ltd", role, email };
    expect((await world.call(dealer, "POST", "/api/account", { body })).code).toBe(409);
    expect(await (await importOf(email, role)).json()).toMatchObject({ success: 0, irrelevant: 1 });
    const add = { credentialChanges: [{ operation: "ADD", email, newPassword: "violet-harbour-lantern" }] };
    expect((await world.call(world.root, "PUT", `/api/account/${dealer.id}`, { body: add })).code).toBe(409);
    expect((await world.call(world.root, "GET", `/api/account/${_id}`)).status).toBe(200);
  });

  test("RG-03 AC-13 T-06 concurrent acceptance and invitation: one gets the address", async () => {
    const role = await roleOf();
    for (let round = 0; round < 6; round += 1) {
      const email = newAddress();
      await people.signUp(signUpForm(email));
      const { _id } = await people.awaiting(world.root, email);
      const body = { name: "Invited Ltd", role, email };
      const [accepted, invited] = await Promise.all([
        review(_id, accept()),
        world.call(dealer, "POST", "/api/account", { body }),
      ]);
      expect([
        [200, 409],
        [404, 200],
      ]).toContainEqual([accepted?.status, invited?.status]);
      const found = await world.call(world.root, "GET", `/api/account?email=${encodeURIComponent(email)}`);
      expect(found.list).toHaveLength(1);
    }
  });

  test("RG-03 an account with dependents only loses the login", async () => {
    const [email, other] = [newAddress(), newAddress()];
    await people.signUp(signUpForm(email));
    await people.signUp(signUpForm(other));
    const [parent, child] = [await people.awaiting(world.root, email), await people.awaiting(world.root, other)];
    const below = { acceptRegistration: true, directParentAccount: parent._id };
    expect((await review(child._id, below)).status).toBe(200);
    const body = { name: "Invited Ltd", role: await roleOf(), email };
    expect((await world.call(dealer, "POST", "/api/account", { body })).status).toBe(200);
    expect((await world.call(world.root, "GET", `/api/account/${parent._id}`)).at("credentials")).toEqual([]);
  });

  test("RG-06 T-08 a sign-up refused by its mailbox is deleted with its account", async () => {
    const email = newAddress();
    await people.signUp(signUpForm(email));
    const { _id } = await people.awaiting(world.root, email);
    expect((await review(_id, accept())).status).toBe(200);
    const verify = await people.linkIn(email);
    expect((await people.get(verify)).body).toEqual({ organization: "Byron Analytics", email });
    expect((await people.end(verify)).body).toEqual({});
    expect((await people.put(verify)).code).toBe(105);
    expect((await world.call(world.root, "GET", `/api/account/${_id}`)).code).toBe(105);
    expect((await people.login(email)).status).toBe(401);
    await people.signUp(signUpForm(email));
    expect((await people.awaiting(world.root, email))._id).not.toBe(_id);
  });
});

describe("what the response reveals", () => {
  test("RG-03 T-08 known or not: same response and time; a known address's owner is mailed", async () => {
    const known = newAddress();
    await people.signUp(signUpForm(known));
    const loginAddress = dealer.email;
    const spellings = [known, known.toUpperCase(), ` ${known} `, loginAddress, newAddress(), known.replace("@", "+x@")];
    for (const email of spellings) {
      const startedAt = performance.now();
      const reply = await people.signUp(signUpForm(email));
      expect(performance.now() - startedAt, email).toBeGreaterThan(190);
      expect([reply.status, reply.body, reply.headers.get("retry-after")], email).toEqual([200, {}, null]);
    }
    const notices = await people.mailsTo(known, 3);
    for (const { text } of notices) expect(text).toContain("waiting for approval");
    expect((await people.mailsTo(loginAddress))[0]?.text).toContain("https://console.example.com/login");
    expect((await people.awaiting(world.root, known.replace("@", "+x@"))).name).toBe("Byron Analytics");
    const found = await world.call(world.root, "GET", `/api/account?email=${encodeURIComponent(known)}`);
    expect(found.list).toHaveLength(1);
  });

  test("RG-03 T-09 at most three such mails an hour to one address", async () => {
    const email = newAddress();
    await people.signUp(signUpForm(email));
    await Promise.all(Array.from({ length: 6 }, () => people.signUp(signUpForm(email))));
    expect(await people.mailCount(email)).toBe(3);
    clock.moveTo(clock.now() + 3_601_000);
    await people.signUp(signUpForm(email));
    expect(await people.mailCount(email)).toBe(4);
  });

  test("RG-03 T-27 concurrent sign-ups with one address create one account", async () => {
    const email = newAddress();
    const replies = await Promise.all(Array.from({ length: 5 }, () => people.signUp(signUpForm(email))));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const found = await world.call(world.root, "GET", `/api/account?email=${encodeURIComponent(email)}`);
    expect(found.list).toHaveLength(1);
  });

  test("RG-03 thirty a minute per client; others are not delayed", async () => {
    const from = newClient();
    const known = newAddress();
    await people.signUp(signUpForm(known));
    const replies = await Promise.all(Array.from({ length: 30 }, () => people.signUp(signUpForm(known), from)));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    const refused = await people.signUp(signUpForm(newAddress()), from);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await people.signUp(signUpForm(known))).status).toBe(200);
    clock.moveTo(clock.now() + 61_000);
    expect((await people.signUp(signUpForm(known), from)).status).toBe(200);
  });
});

/** Sets a path like `legal.firstName`; undefined removes the field. */
function changed(form: JsonObject, path: string, value: unknown): JsonObject {
  const [head = "", ...rest] = path.split(".");
  const inner = rest.length === 0 ? value : changed(form[head] as JsonObject, rest.join("."), value);
  return { ...form, [head]: inner };
}
const letters = (n: number) => "x".repeat(n);

/**
 * Path, maximum length, valid values, invalid values, and the error code of a missing value (0 if the field is
 * optional).
 */
const rules: [path: string, longest: number, good: string[], bad: string[], missing: number][] = [
  [
    "legal.firstName",
    20,
    ["Ada", "Zoë", "Anne-Marie", "D’Arcy", "Jürgen Örn", "Łukasz"],
    ["R2D2", "Иван", "李", "a.b", "a_b", "-", "’"],
    104,
  ],
  ["legal.familyName", 40, ["O'Brien", "van der Berg", "Müller-Lüdenscheidt"], ["7", "Иванов", "a@b", "'"], 104],
  ["legal.department", 40, ["R&D", "研究", "Sales (EU), 2nd floor"], [], 104],
  ["name", 100, ["A&B", "Müller & Söhne GmbH", "7-Eleven"], ["AB"], 108],
  ["phone", 20, ["+49 (30) 12-34", "112"], [], 104],
  ["street", 100, ["Straße des 17. Juni", "5th Avenue"], [], 104],
  ["streetNumber", 10, ["7", "12 b", "Ⅳ", "7ä"], ["7/8", "7-9", "#1"], 104],
  ["zip", 10, ["10115", "SW1A 1AA", "100-0001"], [], 104],
  ["city", 100, ["Bad Homburg", "Saint-Étienne", "L'Aquila"], ["10115", "Москва", "St. Gallen!"], 104],
  ["country", 60, ["Côte d'Ivoire", "Timor-Leste"], ["DE1", "日本"], 104],
  ["supplier", 100, ["", "Shop 24, Leeds - Ltd.", "Händler"], ["a/b", "a&b", "what?"], 0],
];

describe("the rules of the form", () => {
  test.each(rules)(
    "RG-04 %s: length, letters, and what is missing",
    async (path, longest, good, bad, missing) => {
      const form = signUpForm(dealer.email);
      const send = (value: unknown) => people.signUp(changed(form, path, value));
      const taken = [...good, letters(longest), `  ${letters(longest)}  `];
      const answers = await Promise.all(taken.map(send));
      expect(answers.map(({ status }, n) => [taken[n], status])).toEqual(taken.map((value) => [value, 200]));
      const refused: [unknown, number][] = [
        ...bad.map((value): [string, number] => [value, 102]),
        [letters(longest + 1), 102],
        ["a<b>", 400],
        ["{x}", 400],
        ["a\r\nBcc: b", 400],
        ["a\u0000b", 400],
        [5, 402],
        [null, 402],
        [["a"], 402],
        ...(missing === 0
          ? []
          : ([
              [undefined, missing],
              ["", missing],
              ["   ", missing],
            ] as [unknown, number][])),
      ];
      for (const [value, code] of refused) {
        const reply = await send(value);
        expect([reply.status, reply.code, reply.at("details.field")], JSON.stringify(value)).toEqual([400, code, path]);
      }
      if (missing === 0) expect((await send(undefined)).status).toBe(200);
    },
    300_000,
  );

  test.each<[string, unknown, number]>([
    ["credentials.email", undefined, 202],
    ["credentials.email", "", 202],
    ["credentials.email", "someone", 204],
    ["credentials.email", "a@b@example.com", 204],
    ["credentials.email", "x@example.com\r\nBcc: y@example.com", 204],
    ["credentials.email", ["x@example.com"], 402],
    ["credentials.password", undefined, 206],
    ["credentials.password", "", 206],
    ["credentials.password", "short", 205],
    ["credentials.password", "Byron Analytics forever", 205],
    ["legal.dpaAcceptedAt", undefined, 104],
    ["legal.dpaAcceptedAt", "", 102],
    ["legal.dpaAcceptedAt", false, 102],
    ["legal.dpaAcceptedAt", null, 402],
    ["legal.eulaAcceptedAt", undefined, 104],
    ["legal.eulaAcceptedAt", false, 102],
    ["legal", undefined, 104],
    ["credentials", undefined, 104],
    ["role", "x", 402],
    ["stepReached", 2, 402],
    ["legal.acceptedBy", "me", 402],
  ])("RG-04 %s as %j is refused with %i, and nothing is stored", async (path, value, code) => {
    const email = newAddress();
    const reply = await people.signUp(changed(signUpForm(email), path, value));
    expect([reply.status, reply.code]).toEqual([400, code]);
    expect(String(reply.at("details.field"))).toContain(path.split(".").at(-1));
    expect((await world.call(world.root, "GET", `/api/account?email=${email}`)).list).toEqual([]);
  });

  test("RG-04 LE-01 a client's times and versions only count as ticks", async () => {
    const email = newAddress();
    const before = clock.now();
    const legal = {
      ...(signUpForm(email)["legal"] as JsonObject),
      dpaAcceptedAt: true,
      eulaAcceptedAt: "2099-01-01T00:00:00Z",
      dpaVersion: "1999-01-01",
    };
    expect((await people.signUp(signUpForm(email, { legal }))).status).toBe(200);
    const kept = await people.awaiting(world.root, email);
    const { legal: stored } = (kept["registrationInfo"] as { legal: Record<string, string> }[])[0] ?? {};
    expect(stored?.["dpaVersion"]).toBe("2024-06-01");
    for (const at of [stored?.["dpaAcceptedAt"], stored?.["eulaAcceptedAt"]]) {
      expect(Date.parse(at ?? "")).toBeGreaterThanOrEqual(before);
      expect(Date.parse(at ?? "")).toBeLessThanOrEqual(clock.now());
    }
  });

  test("RG-04 names are trimmed and composed, markup in mails is text", async () => {
    const email = newAddress();
    await people.signUp(signUpForm(email, { name: "  Müller & Söhne \u00a0".normalize("NFD") }));
    const { _id, name } = await people.awaiting(world.root, email);
    expect(name).toBe("Müller & Söhne".normalize("NFC"));
    await review(_id, accept());
    expect((await people.mailsTo(email))[0]?.html).toContain("Müller &#38; Söhne");
  });
});
