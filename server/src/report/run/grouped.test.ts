// Tests reports by tag, owner and country: the PDF and the files have the numbers of the comparison page.
import type { GroupCounts } from "@psp/contract/counts/counts.api.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { Report } from "@psp/contract/report/report.ts";
import { sql } from "kysely";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createReportScene, type ReportScene } from "../../testing/scenes/report-scene.ts";
import type { JsonObject, Person } from "../../testing/world.ts";

let scene: ReportScene;
let customer: Person;
const weeks = ["2027-03-28T22:00:00Z", "2027-04-04T22:00:00Z"] as const;
/** Monday, 07:00 in Berlin. */
const dueAt = "2027-04-12T05:00:00Z";
const range = "2027-04-05,2027-04-11";

/** People per hour in the first and in the second week, and the hours of the second week. */
type Traffic = [first: number, second: number, hours: number];
let sensors = 0;
async function shop(owner: Person, name: string, fields: { tags: string[]; country?: string }, traffic: Traffic) {
  const { world } = scene;
  const id = await scene.location(owner, name, "Berlin");
  await world.ctx.db.updateTable("location").set(fields).where("id", "=", id).execute();
  const sensor = `02:00:00:00:00:0${(sensors += 1)}`;
  await scene.sensor(owner, sensor, id);
  const [first, second, hours] = traffic;
  if (first > 0) await scene.count(sensor, weeks[0], 168, first);
  if (hours > 0) await scene.count(sensor, weeks[1], hours, second);
  return { id, sensor };
}

beforeAll(async () => {
  scene = await createReportScene();
  await scene.pass("2027-03-05T12:00:00Z");
  const { world } = scene;
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  const branch = await world.account("Branch", customer, null);
  await scene.pass("2027-04-12T00:00:00Z", customer);
  await shop(customer, "Pier", { tags: ["North", "Chain"], country: "Germany" }, [10, 12, 168]);
  await shop(customer, "Quay", { tags: ["north"], country: "Germany" }, [5, 5, 168]);
  // A new shop has no change, and must not look like one.
  await shop(branch, "New", { tags: ["Chain"], country: "Latvia" }, [0, 100, 168]);
  await shop(branch, "Broken", { tags: [] }, [1, 1, 24]);
});
beforeEach(async () => {
  await sql`delete from report`.execute(scene.world.ctx.db);
  await scene.mailbox.take();
});
afterAll(() => scene.stop());

async function made(more: JsonObject, who = customer): Promise<string> {
  const body = {
    name: "Numbers",
    owner: who.id,
    range: "lastWeek",
    recipients: [who.email],
    schedule: { every: "week", on: "mo", at: "07:00", zone: "Europe/Berlin" },
    ...more,
  };
  const reply = await scene.world.call(who, "POST", "/api/report", { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.id;
}

async function textOf(pdf: ArrayBuffer | Uint8Array | string): Promise<string> {
  const file = await getDocument({ data: new Uint8Array(pdf as ArrayBuffer), verbosity: 0 }).promise;
  const words: string[] = [];
  for (let n = 1; n <= file.numPages; n += 1) {
    const { items } = await (await file.getPage(n)).getTextContent();
    words.push(...items.flatMap((item) => ("str" in item && item.str !== "" ? [item.str] : [])));
  }
  return words.join(" ").replaceAll(/\s+/g, " ");
}

async function fetchFile(who: Person, path: string): Promise<ArrayBuffer> {
  const reply = await fetch(scene.world.url + path, { headers: { authorization: `Bearer ${who.token}` } });
  expect(reply.status).toBe(200);
  return reply.arrayBuffer();
}

const previewText = async (who: Person, id: string) => textOf(await fetchFile(who, `/api/report/${id}/preview`));

/** Lets the jobs make and mail what is due now. */
const later = () => scene.pass(new Date(scene.world.ctx.clock.now() + 5000).toISOString(), customer);

const decode = (content: ArrayBuffer | Uint8Array | string) => Buffer.from(content as ArrayBuffer).toString("utf8");
const number = new Intl.NumberFormat("en");
const percent = (change: number) => `${change > 0 ? "+" : change < 0 ? "−" : "±"}${Math.abs(change)} %`;

/** The row of the PDF, from the reply of the comparison page. */
function lineOf(group: GroupCounts, nameless: string): string {
  const { rank, name, locations, comparable, change, completeness } = group;
  const isPart = change.in !== null && comparable < locations;
  const note = isPart ? `${comparable} of ${locations} locations` : "";
  const figures = [locations, group.in, group.out].map((n) => (n === null ? "–" : number.format(n)));
  const cells = [rank ?? "–", name ?? nameless, ...figures, change.in === null ? "–" : percent(change.in), note];
  const share = completeness === null ? "–" : `${Math.round(completeness * 100)} %`;
  return [...cells.filter((cell) => cell !== ""), share].join(" ");
}

test.each([
  ["tag", "No tag"],
  ["owner", "No owner"],
  ["country", "No country"],
] as const)("by %s the PDF, the preview and the file have the groups of the comparison", async (groupBy, nameless) => {
  const id = await made({ groupBy, formats: ["pdf", "csv"] });
  const compared = await scene.world.call(
    customer,
    "GET",
    `/api/v2/counts/locations?range=${range}&compare=previous&groupBy=${groupBy}`,
  );
  const groups = compared.at("groups") as GroupCounts[];
  expect(groups.length).toBeGreaterThan(1);
  expect((await scene.world.call(customer, "POST", `/api/report/${id}/send`)).status).toBe(200);
  await later();
  const [mail] = await scene.mailbox.take();
  const [pdf, csv] = mail?.attachments ?? [];
  for (const text of [await textOf(pdf?.content ?? ""), await previewText(customer, id)]) {
    expect(text).toContain(`Locations by ${groupBy}`);
    for (const group of groups) expect(text).toContain(lineOf(group, nameless));
  }
  const rows = decode(csv?.content ?? "").split("\n");
  expect(rows[0]).toContain("Group,Locations,");
  const file = `range=${range}&by=day&compare=previous&groupBy=${groupBy}&layout=long&format=csv&style=people`;
  expect(decode(csv?.content ?? "")).toBe(decode(await fetchFile(customer, `/data/v2/counts/file?${file}`)));
  expect(mail?.text).toContain(`&groupBy=${groupBy}`);
});

test("a group counts new and broken shops, but its change leaves them out", async () => {
  const id = await made({ groupBy: "tag", formats: ["pdf"] });
  expect((await scene.world.call(customer, "POST", `/api/report/${id}/send`)).status).toBe(200);
  await later();
  const [mail] = await scene.mailbox.take();
  const text = await textOf(mail?.attachments[0]?.content ?? "");
  expect(text).toContain("1 Chain 2 18,816 18,816 +20 % 1 of 2 locations 100 %");
  expect(text).toContain("2 North 2 2,856 2,856 +13 % 100 %");
  expect(text).toContain("– No tag 1 24 24 – 14 %");
  expect(text).not.toContain("Pier");
  expect(text).toContain("A location with several tags counts for each of them.");
});

test("reports that differ only in their grouping share no computation", async () => {
  const { ctx } = scene.world;
  await made({ name: "Each", formats: ["pdf"] });
  await made({ name: "Tags", formats: ["pdf"], groupBy: "tag" });
  await made({ name: "Tags again", formats: ["pdf"], groupBy: "tag" });
  await scene.pass(dueAt, customer);
  const { rows } = await sql<{ n: number }>`select count(distinct share_key) as n from report_run`.execute(ctx.db);
  expect(rows).toEqual([{ n: 2 }]);
  const texts = new Map<string, string>();
  for (const mail of await scene.mailbox.take())
    texts.set(mail.subject?.split(" 5 ")[0] ?? "", await textOf(mail.attachments[0]?.content ?? ""));
  expect(texts.get("Each")).toContain("Pier");
  expect(texts.get("Each")).not.toContain("Locations by");
  for (const name of ["Tags", "Tags again"]) expect(texts.get(name)).toContain("1 Chain 2 18,816");
});

test("days that an event leaves out may lie before the first sensor, as on the comparison page", async () => {
  const { world } = scene;
  const owner = await world.account("Late Stores", world.root, fullPermissions);
  const { id: location, sensor } = await shop(owner, "Late", { tags: ["t"] }, [0, 6, 168]);
  // From Wednesday on.
  await scene.count(sensor, "2027-03-30T22:00:00Z", 120, 5);
  const event = { name: "Fair", from: "2027-04-05", to: "2027-04-06", scope: { measIDs: [location] } };
  const body = { ...event, excludeFromComparison: true };
  expect((await world.call(owner, "POST", "/api/v2/event", { body })).status).toBe(200);
  for (const groupBy of ["none", "tag"]) {
    const compared = await world.call(owner, "GET", `/api/v2/counts/locations?range=${range}&groupBy=${groupBy}`);
    const [row] = compared.at(groupBy === "none" ? "objects" : "groups") as GroupCounts[];
    expect(row?.change.in).toBe(20);
    const id = await made({ groupBy }, owner);
    expect(await previewText(owner, id)).toContain("1,008 1,008 +20 % 100 %");
  }
});

test("the grouping is none unless set, survives other changes, and unknown ones are refused", async () => {
  const { world } = scene;
  const id = await made({});
  const put = (body: JsonObject) => world.call(customer, "PUT", `/api/report/${id}`, { body });
  expect((await world.call(customer, "GET", `/api/report/${id}`)).at("groupBy")).toBe("none");
  expect((await put({ groupBy: "country" })).at("groupBy")).toBe("country");
  expect(((await put({ name: "Ours" })).body as Report).groupBy).toBe("country");
  for (const groupBy of ["planet", "", "Tag", ["tag"], null, 1])
    expect([102, 204, 402], JSON.stringify(groupBy)).toContain((await put({ groupBy })).code);
  const trail = await sql<{ before: JsonObject; after: JsonObject }>`
    select before, after from audit where object_id = ${id} and after::text like '%groupBy%' order by id`.execute(
    world.ctx.db,
  );
  expect(trail.rows.map(({ after }) => after["groupBy"])).toContain("country");
});
