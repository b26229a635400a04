// Tests reports with sales: mail, PDF and files, and the rights to read them later (docs/rules/reports.md#sales).
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createReportScene, type ReportScene } from "../../testing/scenes/report-scene.ts";
import type { JsonObject, Person } from "../../testing/world.ts";

let scene: ReportScene;
let chain: Person;
let branch: Person;
let pier: string;
const weeks = ["2027-03-28T22:00:00Z", "2027-04-04T22:00:00Z"] as const;
/** Monday, 07:00 in Berlin. */
const dueAt = "2027-04-12T05:00:00Z";

const sale = (start: string, end: string, transactions: number, currency = "EUR") => ({
  start,
  end,
  transactions,
  revenue: transactions * 10,
  currency,
});

beforeAll(async () => {
  scene = await createReportScene();
  await scene.pass("2027-03-05T12:00:00Z");
  const { world } = scene;
  chain = await world.account("Harbour Stores", world.root, fullPermissions);
  branch = await world.account("Branch", chain, fullPermissions);
  await scene.pass("2027-04-12T00:00:00Z", chain, branch);
  pier = await scene.location(branch, "Pier", "Berlin");
  await scene.sensor(branch, "02:00:00:00:00:01", pier);
  // 240 people a day in the first week, 480 in the second.
  await scene.count("02:00:00:00:00:01", weeks[0], 168, 10);
  await scene.count("02:00:00:00:00:01", weeks[1], 168, 20);
  const body = [
    sale("2027-03-29T22:00:00Z", "2027-03-30T22:00:00Z", 120),
    sale("2027-04-05T22:00:00Z", "2027-04-06T22:00:00Z", 120),
    sale("2027-04-06T22:00:00Z", "2027-04-07T22:00:00Z", 24),
  ];
  expect((await world.call(branch, "PUT", `/api/measurement/${pier}/sales`, { body })).status).toBe(200);
});
beforeEach(() => sql`delete from report`.execute(scene.world.ctx.db));
afterAll(() => scene.stop());

async function made(content: string[], more: JsonObject = {}): Promise<string> {
  const body = {
    name: "Numbers",
    owner: chain.id,
    range: "lastWeek",
    recipients: [chain.email],
    schedule: { every: "week", on: "mo", at: "07:00", zone: "Europe/Berlin" },
    content,
    ...more,
  };
  const reply = await scene.world.call(chain, "POST", "/api/report", { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}

async function textOf(pdf: ArrayBuffer): Promise<string> {
  const file = await getDocument({ data: new Uint8Array(pdf), verbosity: 0 }).promise;
  const words: string[] = [];
  for (let n = 1; n <= file.numPages; n += 1) {
    const { items } = await (await file.getPage(n)).getTextContent();
    words.push(...items.flatMap((item) => ("str" in item && item.str !== "" ? [item.str] : [])));
  }
  return words.join(" ").replaceAll(/\s+/g, " ");
}

const decode = (content: unknown) => Buffer.from(content as ArrayBuffer).toString("utf8");

async function download(who: Person, path: string) {
  const reply = await fetch(scene.world.url + path, { headers: { authorization: `Bearer ${who.token}` } });
  return { status: reply.status, bytes: await reply.arrayBuffer() };
}

test("the PDF has conversion, its change and revenue, for all locations and for each", async () => {
  const id = await made(["sales"]);
  const text = await textOf((await download(chain, `/api/report/${id}/preview`)).bytes);
  for (const part of [
    "Conversion 15.0 % 25 percentage points less than the week before",
    "Revenue per visitor EUR 1.50",
    "Transactions 144",
    "Revenue: EUR 1,440.00.",
    "Pier 144 15.0 % −25 pp EUR 1.50 EUR 1,440.00",
  ])
    expect(text).toContain(part);
});

test("without `sales`, neither the mail nor the files have any", async () => {
  await made(["summary", "ranking"], { formats: ["csv"] });
  await scene.pass(dueAt, chain, branch);
  const [mail] = await scene.mailbox.take();
  expect(mail?.text).not.toMatch(/Conversion|Revenue/);
  expect(decode(mail?.attachments[0]?.content)).not.toMatch(/Transactions/);
});

test("the mail and the CSV have sales; reading the file later needs the right to edit the location", async () => {
  const { world } = scene;
  await scene.pass("2027-04-12T12:00:00Z", chain, branch);
  await scene.mailbox.take();
  const id = await made(["sales"], { formats: ["csv"], groupBy: "owner" });
  expect((await world.call(chain, "POST", `/api/report/${id}/send`)).status).toBe(200);
  await scene.pass("2027-04-12T12:00:05Z", chain, branch);
  const [mail] = await scene.mailbox.take();
  expect(mail?.text).toContain("Conversion: 15.0 % (−25 pp from the week before)");
  expect(decode(mail?.attachments[0]?.content)).toMatch(/Transactions/);
  const runs = await world.call(chain, "GET", `/api/report/${id}/runs`);
  const [run] = runs.at("objects") as { _id: string }[];
  const path = `/api/report/${id}/runs/${run?._id}/files/csv`;
  expect((await download(chain, path)).status).toBe(200);
  const viewOnly = { ...fullPermissions, ownable: { measurement: { canViewObject: { me: true, myChildren: true } } } };
  await world.call(world.root, "PUT", `/api/role/${chain.roleId}`, { body: { permissions: viewOnly } });
  expect((await download(chain, path)).status).toBe(403);
});
