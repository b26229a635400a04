// Tests how a login ends the weekly report: by the mail's link, by one click in a mail program, or by the switch (DB-03, RFC 8058).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Person } from "../testing/world.ts";
import { signWeeklyToken } from "./recipient/weekly-token.rules.ts";
import { createReportScene, type ReportScene } from "../testing/scenes/report-scene.ts";

let scene: ReportScene;
let reader: Person;
let monday = Date.parse("2027-03-08T07:00:00Z");
const weekMs = 7 * 86_400_000;

beforeAll(async () => {
  scene = await createReportScene();
  await scene.pass("2027-03-05T12:00:00Z");
  reader = await scene.world.account("Reader", scene.world.root, fullPermissions);
  await scene.location(reader, "Shop", null);
});
beforeEach(() => scene.turn(reader, true));
afterAll(() => scene.stop());

async function nextMails() {
  await scene.pass(new Date(monday).toISOString(), reader);
  monday += weekMs;
  return scene.mailbox.take();
}

async function link(): Promise<URL> {
  const [mail] = await nextMails();
  const header = (name: string) => mail?.headers.find(({ key }) => key === name)?.value ?? "";
  expect(header("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
  const address = /^<(https:[^>]+)>$/.exec(header("list-unsubscribe"))?.[1] ?? "";
  expect(mail?.text).toContain(`Unsubscribe:\n${address}`);
  expect(mail?.html).toContain(`href="${address}"`);
  return new URL(address);
}

const enabled = async () => (await scene.world.call(reader, "GET", "/api/auth/weekly-report")).at("enabled");

test("opening the link changes nothing; the button ends it for good without a session", async () => {
  const { origin, pathname, searchParams } = await link();
  const token = searchParams.get("token") ?? "";
  expect([origin, pathname]).toEqual(["https://console.example.com", "/unsubscribe"]);
  for (const path of [`/unsubscribe?token=${token}`, `/api/report/unsubscribe?token=${token}`])
    await scene.world.call(null, "GET", path);
  const look = await scene.world.call(null, "GET", `/api/report/unsubscribe?token=${token}`);
  const about = { about: "weekly-report", confirmed: true, name: "Weekly report", purpose: "end" };
  expect(look.body).toEqual({ email: reader.email, enabled: true, ...about });
  expect(await enabled()).toBe(true);
  for (let twice = 0; twice < 2; twice += 1) {
    const reply = await scene.world.call(null, "POST", "/api/report/unsubscribe", { body: { token } });
    expect([reply.status, reply.body]).toEqual([200, { email: reader.email, enabled: false, ...about }]);
  }
  expect(await enabled()).toBe(false);
  expect(await nextMails()).toEqual([]);
  const trail = (await scene.world.trail(reader.id)).filter(({ action }) => action === "weekly-report");
  expect(trail.map(({ account_id, after }) => [account_id, after])).toEqual([
    [reader.id, { credential: await scene.credentialOf(reader), weeklyReport: true }],
    [null, { credential: await scene.credentialOf(reader), weeklyReport: false }],
  ]);
});

test.each([
  ["application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
  [
    'multipart/form-data; boundary="b"',
    '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
  ],
])("one click in a mail program ends it, by a form of %s", async (type, body) => {
  const { pathname, search } = await link();
  const response = await fetch(scene.world.url + pathname + search, {
    method: "POST",
    headers: { "content-type": type, origin: "https://mail.example.net" },
    body,
  });
  expect(response.status).toBe(200);
  expect(await enabled()).toBe(false);
  expect(await nextMails()).toEqual([]);
});

test.each(["the link", "the switch"])("ending it by %s drops a report that waits for the mail server", async (by) => {
  const { searchParams } = await link();
  scene.mailbox.open(false);
  expect(await nextMails()).toEqual([]);
  const { rows } = await sql`select from mail_outbox where sent_at is null`.execute(scene.world.ctx.db);
  expect(rows).toHaveLength(1);
  if (by === "the switch") await scene.turn(reader, false);
  else await scene.world.call(null, "POST", "/api/report/unsubscribe", { body: { token: searchParams.get("token") } });
  scene.mailbox.open(true);
  await scene.pass(new Date(monday - weekMs + 3_600_000).toISOString(), reader);
  expect(await scene.mailbox.take()).toEqual([]);
});

test("an invalid token is 102 and ends nothing", async () => {
  const token = (await link()).searchParams.get("token") ?? "";
  const other = await scene.world.account("Other", scene.world.root, fullPermissions);
  const [kind = "", id = "", email = "", signature = ""] = token.split(".");
  const wrong = [
    "",
    "none",
    id,
    `${kind}.${id}.${email}`,
    `${kind}.${id}.${email}.`,
    `${kind}.${id}.${email}.${signature}x`,
    `${kind}.${id}.${email}.${signature.slice(0, -2)}AA`,
    `${kind}.${id}.${Buffer.from(other.email).toString("base64url")}.${signature}`,
    `report-confirm.${id}.${email}.${signature}`,
    `${await scene.credentialOf(other)}.${signature}`,
    `${token}.${signature}`,
    `not-an-id.${signature}`,
  ];
  for (const one of wrong) {
    const post = await scene.world.call(null, "POST", "/api/report/unsubscribe", { body: { token: one } });
    expect([post.status, post.code, post.at("details.field")], one).toEqual([400, 102, "token"]);
    for (const [method, path] of [
      ["GET", "/api/report/unsubscribe"],
      ["POST", "/unsubscribe"],
    ] as const) {
      const reply = await scene.world.call(null, method, `${path}?token=${one}`);
      expect([reply.status, reply.code], `${method} ${one}`).toEqual([400, 102]);
    }
  }
  for (const path of ["/unsubscribe", "/unsubscribe?token=a&token=b"])
    expect((await scene.world.call(null, "POST", path)).status, path).toBe(400);
  expect(await enabled()).toBe(true);
});

test("links of reports that were sent before reports had recipients keep working", async () => {
  const token = signWeeklyToken(scene.world.ctx.config, await scene.credentialOf(reader));
  const look = await scene.world.call(null, "GET", `/api/report/unsubscribe?token=${token}`);
  expect(look.body).toEqual({ email: reader.email, enabled: true, about: "weekly-report", confirmed: true });
  for (const wrong of [`${token}x`, `${await scene.credentialOf(scene.world.root)}.${token.split(".")[1]}`])
    expect((await scene.world.call(null, "POST", "/api/report/unsubscribe", { body: { token: wrong } })).code).toBe(
      102,
    );
  await scene.world.call(null, "POST", "/api/report/unsubscribe", { body: { token } });
  expect(await enabled()).toBe(false);
});

test("the switch needs a session and belongs to the login, not to the account", async () => {
  for (const method of ["GET", "PUT"])
    expect((await scene.world.call(null, method, "/api/auth/weekly-report", {})).status).toBe(401);
  const bad = await scene.world.call(reader, "PUT", "/api/auth/weekly-report", { body: { enabled: "yes" } });
  expect([bad.status, bad.code]).toEqual([400, 402]);
  const colleague = { operation: "ADD", email: "colleague@example.com", newPassword: "copper-meadow-whistle" };
  const put = await scene.world.call(scene.world.root, "PUT", `/api/account/${reader.id}`, {
    body: { credentialChanges: [colleague] },
  });
  expect(put.status, JSON.stringify(put.body)).toBe(200);
  const reports = (await nextMails()).filter(({ subject }) => subject?.startsWith("Weekly report"));
  expect(reports.map((mail) => mail.to?.[0]?.address)).toEqual([reader.email]);
});

test("T-30 the link of a mail that was sent is not kept in the outbox", async () => {
  expect(await nextMails()).toHaveLength(1);
  const rows = await scene.world.ctx.db.selectFrom("mail_outbox").select(["unsubscribe_url", "text_body"]).execute();
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.every((row) => row.unsubscribe_url === null && row.text_body === "")).toBe(true);
});
