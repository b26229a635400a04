// Uploads, downloads and data streams end when the right they rely on is lost (T-18, T-02, T-11).
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { toMac } from "@psp/contract/kit/mac.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { importSap } from "../testing/requests/sap-upload.ts";
import { beginUpload } from "../testing/requests/slow-upload.ts";
import { untilSomebodyWaits } from "../testing/waiting.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

const password = "violet-harbour-lantern";
let world: World;
const open: { destroy(): unknown }[] = [];
beforeAll(async () => void (world = await createWorld()));
afterEach(() => {
  for (const one of open.splice(0)) one.destroy();
});
afterAll(() => world.stop());

const count = async (table: "firmware" | "firmware_package" | "firmware_chunk") => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(world.ctx.db);
  return rows[0]?.n ?? 0;
};
const ok = async (reply: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await reply;
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
};
const asRoot = (method: string, path: string, body?: unknown) =>
  ok(world.call(world.root, method, path, body === undefined ? {} : { body }));

let serial = 0;
const person = (permissions: Permissions = fullPermissions, parent = world.root) =>
  world.account(`Person ${(serial += 1)}`, parent, permissions);
const credentialChange = (who: Person, change: object) =>
  asRoot("PUT", `/api/account/${who.id}`, { credentialChanges: [{ email: who.email, ...change }] });

async function resetPassword(who: Person): Promise<void> {
  await ok(world.call(null, "PUT", "/api/auth/login/forgot_password", { body: { email: who.email } }));
  const { rows } = await sql<{ text: string }>`
    select text_body as text from mail_outbox where recipient = ${who.email}`.execute(world.ctx.db);
  const token = /reset-password\?token=(\S+)/.exec(rows[0]?.text ?? "")?.[1];
  await ok(world.call(null, "PUT", `/api/auth/login/reset_password?token=${token}`, { body: { password } }));
}

const none: Permissions = { owner: { canViewOwner: { me: true } } };
/** Ways to lose a right or a session, and the resulting error code. */
const losses: [string, number, (who: Person) => Promise<void>][] = [
  ["its role loses the right", 303, (who) => asRoot("PUT", `/api/role/${who.roleId}`, { permissions: none })],
  ["its role is deleted", 303, (who) => asRoot("DELETE", `/api/role/${who.roleId}`)],
  [
    "it gets another role",
    303,
    async (who) => {
      const role = { name: `Role ${(serial += 1)}`, owner: world.root.id, permissions: none };
      const { id } = await world.call(world.root, "POST", "/api/role", { body: role });
      await asRoot("PUT", `/api/account/${who.id}`, { role: id });
    },
  ],
  ["its account is deleted", 106, (who) => asRoot("DELETE", `/api/account/${who.id}`)],
  [
    "the session is ended from elsewhere",
    106,
    async (who) => {
      const elsewhere = { ...who, token: await world.token(who) };
      await ok(world.call(elsewhere, "DELETE", "/api/auth/sessions"));
    },
  ],
  ["the password is reset", 106, resetPassword],
  [
    "the login is removed",
    106,
    async (who) => {
      await credentialChange(who, { operation: "ADD", email: `second-${who.email}`, newPassword: password });
      await credentialChange(who, { operation: "REMOVE" });
    },
  ],
];

function begin(who: Person, path: string, fields: Record<string, string>, first: Buffer, name?: string) {
  const upload = beginUpload(world.url, who, path, fields, first, name);
  open.push(upload.socket);
  return upload;
}

test.each(losses)("T-18 FW-02 an upload ends when %s", async (_, code, lose) => {
  const who = await person();
  const [packages, firmware] = [await count("firmware_package"), await count("firmware")];
  const bytes = Buffer.alloc(300 * 1024, 7);
  const before = begin(who, "/api/artifact", { name: "1.0.0", owner: who.id, type: "APS" }, bytes);
  // The form sends the owner after the file, so the owner is unknown until the file has been received.
  const after = begin(who, "/api/artifact", {}, bytes);
  await expect.poll(() => count("firmware_package")).toBe(packages + 2);
  await lose(who);
  for (const upload of [before, after])
    await expect.poll(upload.heard).toMatch(new RegExp(`^HTTP/1.1 40[013] [^]*"code":(${code}|103),`));
  expect([await count("firmware_package"), await count("firmware")]).toEqual([packages, firmware]);
});

test("T-18 FW-02 deleting an account ends the uploads for it and no others", async () => {
  const who = await person();
  const child = await person(fullPermissions, who);
  const packages = await count("firmware_package");
  const first = Buffer.alloc(300 * 1024, 7);
  const forChild = begin(who, "/api/artifact", { name: "1.0.0", owner: child.id, type: "APS" }, first);
  const forSelf = begin(who, "/api/artifact", { name: "1.0.0", owner: who.id, type: "APS" }, first);
  await expect.poll(() => count("firmware_package")).toBe(packages + 2);
  await asRoot("DELETE", `/api/account/${child.id}`);
  await expect.poll(forChild.heard).toMatch(/^HTTP\/1\.1 400 [^]*"code":103,/);
  forSelf.finish();
  await expect.poll(forSelf.heard).toMatch(/^HTTP\/1\.1 200 /);
});

test.each([
  [
    "the right",
    303,
    (who: Person) => sql`update role set permissions = ${JSON.stringify(none)}::jsonb where id = ${who.roleId}`,
  ],
  ["the session", 106, (who: Person) => sql`delete from session where account_id = ${who.id}`],
])(
  "T-18 T-27 rights are checked again when an upload is stored: without %s there is no firmware",
  async (_, code, lose) => {
    const who = await person();
    const [packages, firmware] = [await count("firmware_package"), await count("firmware")];
    // No event is published, so only the check at the end can notice the loss.
    const reply = await world.ctx.db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(7305113)`.execute(tx);
      const running = world.upload(who, { type: "APS", name: "2.0.0" }, Buffer.from("image"));
      await untilSomebodyWaits(world.ctx.db);
      await lose(who).execute(tx);
      return { running };
    });
    expect((await reply.running).code).toBe(code);
    expect([await count("firmware_package"), await count("firmware")]).toEqual([packages, firmware]);
  },
);

const sheet = (rows: number) =>
  `Name;E-Mail\n${Array.from({ length: rows }, (_, n) => `Shop ${n};shop-${n}-${(serial += 1)}@example.com`).join("\n")}`;
const roleBelow = async (who: Person) =>
  (await world.call(who, "POST", "/api/role", { body: { name: "Staff", owner: who.id } })).id;
const children = (who: Person) =>
  world.ctx.db.selectFrom("account").select("id").where("parent_id", "=", who.id).execute();

test.each(everyNth(2, losses))("AC-09 T-18 the upload of an import file ends when %s", async (_, code, lose) => {
  const who = await person();
  // One more than the limit per account: its refusal proves that all others have started.
  const uploads = Array.from({ length: 21 }, () =>
    begin(who, "/api/import/sap", { role: who.roleId ?? "" }, Buffer.from(sheet(10)), "shops.csv"),
  );
  const answered = (start: RegExp) => uploads.filter(({ heard }) => start.test(heard())).length;
  await expect.poll(() => answered(/^HTTP\/1\.1 429 /)).toBe(1);
  await lose(who);
  await expect.poll(() => answered(new RegExp(`^HTTP/1.1 40[13] [^]*"code":${code},`))).toBe(20);
  expect(await children(who)).toEqual([]);
});

test("AC-09 T-11 an import stops when its session ends and reports how far it came", async () => {
  const who = await person();
  const all = 4000;
  const running = importSap(world, who, sheet(all), { role: await roleBelow(who) });
  await expect.poll(async () => (await children(who)).length, { interval: 5 }).toBeGreaterThan(0);
  const elsewhere = { ...who, token: await world.token(who) };
  await ok(world.call(elsewhere, "DELETE", "/api/auth/sessions"));
  const { status, code, body } = await running;
  expect([status, code]).toEqual([401, 106]);
  const made = (await children(who)).length;
  expect(body["details"]).toMatchObject({ success: made, total: made });
  expect(made).toBeLessThan(all);
});

/** Reads the start of a response and pauses, so that the rest stays in transit. */
async function beginReading(
  who: Person,
  path: string,
): Promise<{ response: IncomingMessage; isWhole(): Promise<boolean> }> {
  const asked = request(world.url + path, { headers: { authorization: `Bearer ${who.token}` }, agent: false });
  open.push(asked);
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage & { socket: Socket }];
  response.on("error", () => undefined);
  expect(response.statusCode).toBe(200);
  return {
    response,
    async isWhole() {
      response.resume();
      if (!response.closed) await new Promise((resolve) => void response.once("close", resolve));
      return response.complete;
    },
  };
}
/** Hourly values of many years, which do not fit into the socket buffers; rows of JSON are longer. */
const hours = (filter: string, kind = "json") =>
  `/data/v2/aggregate/${kind}?filter=${filter}&acc=hour&from=${kind === "json" ? 2008 : 2000}-01-01T00:00:00Z`;

const looker: Permissions = {
  ownable: { measurement: { canViewObject: { me: true } }, sensor: { canViewObject: { me: true } } },
};
const locationOf = (who: Person) =>
  world.call(world.root, "POST", "/api/measurement", { body: { name: `Shop ${(serial += 1)}`, owner: who.id } });
const sensorOf = async (who: Person) => {
  const body = { _id: toMac(0x0200_0000_0000 + (serial += 1)), owner: who.id, type: "APS" };
  return (await world.call(world.root, "POST", "/api/sensor", { body })).id;
};

test.each(everyNth(2, losses))("DS-01 T-02 a data stream is aborted when %s", async (_, _code, lose) => {
  const who = await person(looker);
  const { id } = await locationOf(who);
  const reading = await beginReading(who, hours(`meas:${id}`));
  await lose(who);
  expect(await reading.isWhole()).toBe(false);
});

test("DS-01 T-13 a stream ends when its sensor or location changes its owner", async () => {
  const [who, other] = [await person(looker), await person(looker)];
  const [sensor, kept, location] = [await sensorOf(who), await sensorOf(who), (await locationOf(who)).id];
  const given = await beginReading(who, hours(`sens:${kept}&filter=sens:${sensor}`, "csv"));
  await asRoot("PUT", `/api/sensor/${sensor}`, { owner: other.id });
  expect(await given.isWhole()).toBe(false);
  const [moved, rest] = [
    await beginReading(who, hours(`meas:${location}`)),
    await beginReading(who, hours(`sens:${kept}`)),
  ];
  await asRoot("PUT", `/api/measurement/${location}`, { owner: other.id });
  // This event also triggers a check, which the stream passes.
  await asRoot("PUT", `/api/account/${who.id}`, { name: "Renamed" });
  expect(await moved.isWhole()).toBe(false);
  expect(await rest.isWhole()).toBe(true);
});

test("a file over many locations ends when one of them changes its owner or is deleted", async () => {
  const [who, other] = [await person(looker), await person(looker)];
  const file = "/data/v2/counts/file?by=hour&range=2004-01-01,2023-12-31&compare=year";
  for (const [kind, change] of [
    ["csv", (id: string) => asRoot("PUT", `/api/measurement/${id}`, { owner: other.id })],
    ["xlsx", (id: string) => asRoot("DELETE", `/api/measurement/${id}`)],
  ] as const) {
    // A workbook has at most five of them.
    for (let n = 0; n < 4; n += 1) await locationOf(who);
    const { id } = await locationOf(who);
    const reading = await beginReading(who, `${file}&format=${kind}`);
    await change(id);
    expect(await reading.isWhole()).toBe(false);
    const { rows } = await sql<{
      id: string;
    }>`select id from location where owner_id = ${who.id} and not is_deleted`.execute(world.ctx.db);
    for (const one of rows) await asRoot("DELETE", `/api/measurement/${one.id}`);
  }
});

test.each(everyNth(3, losses))("a file over many locations is aborted when %s", async (_, _code, lose) => {
  const who = await person(looker);
  await locationOf(who);
  const reading = await beginReading(who, "/data/v2/counts/file?by=hour&range=2004-01-01,2023-12-31");
  await lose(who);
  expect(await reading.isWhole()).toBe(false);
});

test(
  "DS-01 removing a sensor from a location doesn't end a stream of the location's counts",
  { tags: "prove" },
  async () => {
    const who = await person(looker);
    const [location, sensor] = [(await locationOf(who)).id, await sensorOf(who)];
    await asRoot("PUT", `/api/sensor/${sensor}`, { measID: location });
    const reading = await beginReading(who, hours(`meas:${location}`));
    await asRoot("PUT", `/api/sensor/${sensor}`, { measID: null });
    await asRoot("PUT", `/api/account/${who.id}`, { name: "Renamed" });
    expect(await reading.isWhole()).toBe(true);
  },
);

test("FW-04 T-18 a download ends when the reader loses the right to the firmware", async () => {
  const parent = await person();
  const child = await person({}, parent);
  const fields = { type: "APS", name: "3.0.0", objPerm: JSON.stringify({ childrenCanViewObject: true }) };
  const { id } = await world.upload(parent, fields, Buffer.alloc(24 * 1024 * 1024, 7));
  const [own, opened] = [
    await beginReading(parent, `/api/artifact/${id}/package`),
    await beginReading(child, `/api/artifact/${id}/package`),
  ];
  await ok(world.call(parent, "PUT", `/api/artifact/${id}`, { body: { objPerm: { childrenCanViewObject: false } } }));
  expect(await opened.isWhole()).toBe(false);
  expect(await own.isWhole()).toBe(true);
});
