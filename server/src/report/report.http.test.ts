// Tests reports over HTTP: rights, invalid input, recipients who confirm and unsubscribe, and the daily limit of confirmations.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createReportScene, type ReportScene } from "../testing/scenes/report-scene.ts";
import { maxReportsPerOwner } from "@psp/contract/report/report.ts";
import type { JsonObject, Person } from "../testing/world.ts";
import { maxAskedPerAddress, maxAskedPerDay } from "./recipient/recipient.service.ts";

let scene: ReportScene;
let customer: Person;
let stranger: Person;
/** Views the customer's locations only. */
let viewer: Person;
/** Edits the customer's locations, but not the account. */
let editor: Person;
let shop: string;

const upwards = { me: true, relativeAncestorLevel: 1 };
const everyMonday = { every: "week", on: "mo", at: "07:00", zone: "Europe/Berlin" };

beforeAll(async () => {
  scene = await createReportScene();
  await scene.pass("2027-03-05T12:00:00Z");
  const { world } = scene;
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  stranger = await world.account("Other Customer", world.root, fullPermissions);
  const view = { owner: { canViewOwner: upwards }, ownable: { measurement: { canViewObject: upwards } } };
  viewer = await world.account("Viewer", customer, view);
  editor = await world.account("Editor", customer, {
    ...view,
    ownable: { measurement: { canViewObject: upwards, canEditObject: upwards } },
  });
  shop = await scene.location(customer, "Harbour Shop", "Berlin");
});
afterAll(() => scene.stop());

const bodyOf = (more: JsonObject = {}): JsonObject => ({
  name: "Numbers",
  owner: customer.id,
  range: "lastWeek",
  recipients: [customer.email],
  schedule: everyMonday,
  ...more,
});

async function made(more: JsonObject = {}, who = customer): Promise<string> {
  const reply = await scene.world.call(who, "POST", "/api/report", { body: bodyOf(more) });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}

test("a new report has defaults, its next time and its recipients", async () => {
  const reply = await scene.world.call(customer, "POST", "/api/report", {
    body: bodyOf({ recipients: [customer.email.toUpperCase(), "Boss@Example.com", "boss@example.com"] }),
  });
  expect(reply.body).toMatchObject({
    name: "Numbers",
    owner: { _id: customer.id, name: "Harbour Stores" },
    filters: {},
    by: null,
    compare: "previous",
    groupBy: "none",
    content: ["summary", "ranking", "chart", "gaps"],
    formats: ["pdf"],
    language: "en",
    schedule: everyMonday,
    enabled: true,
    stopped: null,
    isWeekly: false,
    creator: { _id: customer.id, name: "Harbour Stores" },
    nextAt: "2027-03-08T06:00:00.000Z",
    lastRun: null,
    recipients: [
      { email: customer.email, status: "confirmed" },
      { email: "boss@example.com", status: "waiting" },
    ],
    recipientCount: 2,
  });
});

test("editors of the owner or of all named locations may edit; viewers do not see recipients", async () => {
  const { world } = scene;
  const id = await made();
  const path = `/api/report/${id}`;
  const seen = await world.call(viewer, "GET", path);
  expect([seen.status, seen.at("recipientCount"), seen.at("recipients")]).toEqual([200, 1, undefined]);
  for (const [method, at, body, code] of [
    ["PUT", path, { name: "Mine" }, 305],
    ["DELETE", path, undefined, 304],
    ["POST", `${path}/send`, undefined, 305],
    ["GET", `${path}/runs`, undefined, 305],
  ] as const) {
    for (const who of [viewer, editor])
      expect((await world.call(who, method, at, body ? { body } : {})).code, `${method} ${at}`).toBe(code);
    expect((await world.call(stranger, method, at, body ? { body } : {})).code, `${method} ${at}`).toBe(105);
  }
  expect((await world.call(null, "GET", path)).code).toBe(106);
  expect((await world.call(viewer, "POST", "/api/report", { body: bodyOf() })).code).toBe(303);
  expect((await world.call(editor, "POST", "/api/report", { body: bodyOf() })).code).toBe(303);
  expect((await world.call(stranger, "POST", "/api/report", { body: bodyOf() })).code).toBe(103);
  // Otherwise anyone who views an account could mail strangers in its name.
  const foreign = { body: bodyOf({ filters: { ids: [shop] } }) };
  expect((await world.call(editor, "POST", "/api/report", foreign)).code).toBe(303);
  const branch = await scene.location(editor, "Branch", null);
  const own = await made({ owner: editor.id, filters: { ids: [branch] } }, editor);
  expect((await world.call(editor, "PUT", `/api/report/${own}`, { body: { owner: customer.id } })).code).toBe(302);
  const named = await made({ filters: { ids: [shop] } });
  expect((await world.call(editor, "PUT", `/api/report/${named}`, { body: { name: "Ours" } })).status).toBe(200);
  expect((await world.call(viewer, "PUT", `/api/report/${named}`, { body: { name: "Ours" } })).code).toBe(305);
  // Without the named locations it would be about all of the account.
  expect((await world.call(editor, "PUT", `/api/report/${named}`, { body: { filters: {} } })).code).toBe(305);
  const hidden = await scene.location(stranger, "Elsewhere", null);
  const about = { filters: { ids: [shop, hidden] } };
  expect((await world.call(customer, "POST", "/api/report", { body: bodyOf(about) })).code).toBe(105);
  expect((await world.call(customer, "PUT", path, { body: about })).code).toBe(105);
  expect((await world.call(customer, "PUT", path, { body: { owner: stranger.id } })).code).toBe(103);
});

test("the login that changes a report becomes its creator, so no one reads with another's rights", async () => {
  const id = await made({ filters: { ids: [shop] } });
  const changed = await scene.world.call(editor, "PUT", `/api/report/${id}`, { body: { recipients: [editor.email] } });
  expect(changed.at("creator._id")).toBe(editor.id);
});

test("invalid input is refused with its code and nothing is stored", async () => {
  const { world } = scene;
  const count = async () => (await world.call(customer, "GET", "/api/report?includeTotals=true")).at("total");
  const before = await count();
  const many = (n: number) => Array.from({ length: n }, (_, at) => `a${at}@example.com`);
  const cases: [JsonObject, number][] = [
    [{ name: "  " }, 108],
    [{ name: "<b>" }, 400],
    [{ name: "x".repeat(201) }, 102],
    [{ range: "today" }, 102],
    [{ range: 7 }, 402],
    [{ recipients: [] }, 102],
    [{ recipients: many(51) }, 102],
    [{ recipients: ["no address"] }, 102],
    [{ recipients: "a@example.com" }, 402],
    [{ recipients: ["a@example.com\r\nBcc: b@example.com"] }, 102],
    [{ formats: ["docx"] }, 102],
    [{ content: [] }, 102],
    [{ content: ["profit"] }, 102],
    [{ groupBy: "planet" }, 102],
    [{ groupBy: ["tag"] }, 102],
    [{ groupBy: null }, 102],
    [{ filters: { planet: "Mars" } }, 402],
    [{ filters: { ids: ["x"] } }, 102],
    [{ filters: { tag: Array.from({ length: 21 }, String) } }, 102],
    [{ schedule: { ...everyMonday, at: "25:00" } }, 102],
    [{ schedule: { ...everyMonday, zone: "Mars/Base" } }, 102],
    [{ schedule: { ...everyMonday, on: "mo'; drop table report" } }, 102],
    [{ language: "tlh" }, 102],
    [{ creator_id: customer.id }, 402],
    [{ isWeekly: true }, 402],
  ];
  for (const [more, code] of cases) {
    const reply = await world.call(customer, "POST", "/api/report", { body: bodyOf(more) });
    if (code !== 102) expect(reply.code, JSON.stringify(more)).toBe(code);
    else expect([102, 204, 402], JSON.stringify(more)).toContain(reply.code);
    expect(reply.status).toBe(400);
  }
  expect(await count()).toBe(before);
});

async function confirmLink(email: string): Promise<string> {
  await scene.pass(scene.world.ctx.clock.date().toISOString(), customer);
  const mails = await scene.mailbox.take();
  const text = mails.findLast((mail) => mail.to?.[0]?.address === email)?.text ?? "";
  return /token=(\S+)/.exec(text)?.[1] ?? "";
}

test("strangers get no report until they confirm by link, and end only their own mails", async () => {
  const { world } = scene;
  await scene.mailbox.take();
  const id = await made({ recipients: [customer.email, "one@example.org", "two@example.org"] });
  const token = await confirmLink("one@example.org");
  const statuses = async () =>
    ((await world.call(customer, "GET", `/api/report/${id}`)).at("recipients") as { status: string }[]).map(
      ({ status }) => status,
    );
  expect(await statuses()).toEqual(["confirmed", "waiting", "waiting"]);
  const look = await world.call(null, "GET", `/api/report/unsubscribe?token=${token}`);
  expect(look.body).toMatchObject({ email: "one@example.org", confirmed: false, purpose: "confirm", name: "Numbers" });
  expect(await statuses()).toEqual(["confirmed", "waiting", "waiting"]);
  expect((await world.call(null, "POST", "/api/report/unsubscribe", { body: { token } })).code).toBe(102);
  expect((await world.call(null, "POST", "/api/report/confirm", { body: { token } })).at("confirmed")).toBe(true);
  expect(await statuses()).toEqual(["confirmed", "confirmed", "waiting"]);

  expect((await world.call(customer, "POST", `/api/report/${id}/send`)).status).toBe(200);
  await scene.pass("2027-03-05T12:10:00Z", customer);
  const mails = (await scene.mailbox.take()).filter(({ subject }) => subject?.startsWith("Numbers"));
  expect(new Set(mails.map((mail) => mail.to?.[0]?.address))).toEqual(new Set([customer.email, "one@example.org"]));
  expect(mails).toHaveLength(2);
  const mail = mails.find(({ to }) => to?.[0]?.address === "one@example.org");
  const header = (name: string) => mail?.headers.find(({ key }) => key === name)?.value ?? "";
  expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  const end = new URL(/^<(.+)>$/.exec(header("list-unsubscribe"))?.[1] ?? "");
  expect(mail?.text).toContain(end.href);
  expect(mail?.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual([
    ["Numbers_2027-02-22_2027-02-28.pdf", "application/pdf"],
  ]);
  const click = await fetch(scene.world.url + end.pathname + end.search, { method: "POST" });
  expect(click.status).toBe(200);
  expect(await statuses()).toEqual(["confirmed", "ended", "waiting"]);
  const ended = end.searchParams.get("token") ?? "";
  expect((await world.call(null, "POST", "/api/report/confirm", { body: { token: ended } })).code).toBe(102);
  // Removed and added again, the address still has to agree.
  for (const recipients of [[customer.email], [customer.email, "one@example.org"]])
    await world.call(customer, "PUT", `/api/report/${id}`, { body: { recipients } });
  expect(await statuses()).toEqual(["confirmed", "ended"]);
});

test("an account asks at most 50 addresses a day; an address at most once a day", async () => {
  const owner = await scene.world.account("Busy", scene.world.root, fullPermissions);
  const addresses = Array.from({ length: maxAskedPerDay }, (_, n) => `ask-${n}@example.org`);
  const post = (recipients: string[]) =>
    scene.world.call(owner, "POST", "/api/report", { body: bodyOf({ owner: owner.id, recipients }) });
  expect((await post(addresses.slice(0, 30))).status).toBe(200);
  expect((await post(addresses.slice(0, 30))).status).toBe(200);
  const tooMany = await post(Array.from({ length: 21 }, (_, n) => `late-${n}@example.org`));
  expect([tooMany.status, tooMany.code, tooMany.at("details.field")]).toEqual([429, 102, "recipients"]);
  expect(tooMany.at("details.reason")).toContain("you can add 20 more now.");
  expect((await post(addresses.slice(30))).status).toBe(200);
  expect((await post(["one-more@example.org"])).status).toBe(429);
  await scene.pass("2027-03-06T12:11:00Z", customer, owner);
  expect((await post(["one-more@example.org"])).status).toBe(200);
});

test("an address is asked at most 3 times a day by all accounts together, which no reply reveals", async () => {
  const { world } = scene;
  const email = "popular@example.org";
  await scene.mailbox.take();
  const ids: string[] = [];
  for (let n = 0; n <= maxAskedPerAddress; n += 1) {
    const owner = await world.account(`Fan ${n}`, world.root, fullPermissions);
    ids.push(await made({ owner: owner.id, recipients: [email] }, owner));
    const seen = await world.call(owner, "GET", `/api/report/${ids.at(-1)}`);
    expect(seen.at("recipients")).toEqual([{ email, status: "waiting" }]);
  }
  await scene.pass(world.ctx.clock.date().toISOString(), customer);
  const asked = (await scene.mailbox.take()).filter((mail) => mail.to?.[0]?.address === email);
  expect(asked).toHaveLength(maxAskedPerAddress);
});

test("an account owns at most 200 reports, counting neither deleted ones nor weekly reports", async () => {
  const { world } = scene;
  const keeper = await world.account("Keeper", customer, fullPermissions);
  const body = bodyOf({ owner: keeper.id, recipients: [keeper.email] });
  const last = await made(body, keeper);
  await sql`
    insert into report (id, owner_id, owner_path, name, query, schedule, is_enabled, handled_to)
    select gen_random_uuid(), owner_id, owner_path, name, query, schedule, false, handled_to
    from report, generate_series(1, ${maxReportsPerOwner - 1}::int) where id = ${last}`.execute(world.ctx.db);
  const refused = await world.call(keeper, "POST", "/api/report", { body });
  expect([refused.code, refused.at("details.reason")]).toEqual([102, "An account can own at most 200 reports."]);
  await scene.turn(keeper, true);
  const other = await made();
  const give = () => world.call(customer, "PUT", `/api/report/${other}`, { body: { owner: keeper.id } });
  expect((await give()).code).toBe(102);
  expect((await world.call(keeper, "DELETE", `/api/report/${last}`)).status).toBe(200);
  expect((await give()).status).toBe(200);
  const { pageSize } = world.ctx.config;
  expect((await world.call(keeper, "GET", "/api/report")).list).toHaveLength(Math.min(pageSize, maxReportsPerOwner));
});

test("logins that the caller may not view count as strangers, so their status reveals nothing", async () => {
  const { world } = scene;
  const below = await world.account("Hidden branch", customer, null);
  const id = await made({ filters: { ids: [shop] }, recipients: [below.email, "unknown@example.org"] });
  const report = await world.call(editor, "GET", `/api/report/${id}`);
  expect(report.at("recipients")).toMatchObject([{ status: "waiting" }, { status: "waiting" }]);
});

test("live messages about a report go to those who may view it, without recipients", async () => {
  const live = await scene.world.live(viewer);
  const id = await made();
  expect((await live.heard("report", "create", id)).obj).toMatchObject({ _id: id, recipientCount: 1 });
  expect(JSON.stringify(live.frames)).not.toContain(customer.email);
  await scene.world.call(customer, "DELETE", `/api/report/${id}`);
  await live.heard("report", "delete", id);
  expect((await scene.world.call(customer, "GET", `/api/report/${id}`)).code).toBe(105);
  live.close();
});

test("a deleted report loses its runs, its files and mails that were not sent yet", async () => {
  const { ctx } = scene.world;
  const id = await made();
  scene.mailbox.open(false);
  await scene.world.call(customer, "POST", `/api/report/${id}/send`);
  await scene.pass(new Date(ctx.clock.now() + 5000).toISOString(), customer);
  const left = async () =>
    (
      await sql<{ n: number }>`select (select count(*) from report_run where report_id = ${id})
        + (select count(*) from report_recipient where report_id = ${id})
        + (select count(*) from mail_outbox where sent_at is null and subject like 'Numbers%') as n`.execute(ctx.db)
    ).rows[0]?.n;
  expect(await left()).toBe(3);
  await scene.world.call(customer, "DELETE", `/api/report/${id}`);
  expect(await left()).toBe(0);
  scene.mailbox.open(true);
});
