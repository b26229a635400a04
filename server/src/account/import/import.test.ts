// Tests the SAP import over HTTP: the result of every kind of row, refused files, no duplicates, and no silent loss.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { importSap, importSapStreamed } from "../../testing/requests/sap-upload.ts";
import { createWorld, type JsonObject, type Person, type World } from "../../testing/world.ts";

let world: World;
let dealer: Person;
let role: string;

beforeAll(async () => {
  world = await createWorld({ env: { PUBLIC_URL: "https://console.example.com" } });
});
afterAll(() => world.stop());
beforeEach(async () => {
  dealer = await world.account("Dealer", world.root, fullPermissions);
  role = await roleOf(dealer, { owner: { canViewOwner: { me: true } } });
});

let counter = 0;
const unique = () => `sap${(counter += 1)}`;
async function roleOf(owner: Person, permissions: Permissions): Promise<string> {
  const body = { name: unique(), owner: owner.id, permissions };
  return (await world.call(world.root, "POST", "/api/role", { body })).id;
}
const send = (content: string | Uint8Array<ArrayBuffer>, options: Parameters<typeof importSap>[3] = {}) =>
  importSap(world, dealer, content, { role, ...options });
const children = async (who = dealer): Promise<JsonObject[]> =>
  (await world.call(who, "GET", `/api/account?parentID=${who.id}&sortBy=createdAt`)).list;
const namesOf = (list: JsonObject[]) => list.map(({ name }) => String(name)).toSorted((a, b) => (a < b ? -1 : 1));
const counts = (success: number, irrelevant: number, error: number, logs: unknown[] = []) => ({
  success,
  irrelevant,
  error,
  total: success + irrelevant + error,
  logs,
});
const mailsTo = (email: string) =>
  world.ctx.db.selectFrom("mail_outbox").selectAll().where("recipient", "=", email).execute();

describe("AC-09 results of rows", () => {
  test("a full row creates a child of the caller with role, address, invitation and audit log", async () => {
    const email = `${unique()}@example.com`;
    const reply = await send(
      `Name;E-Mail;Phone;Street;Street Number;Postal Code;City;Country;Supplier\r\nHarbour Shop;${email};+49 6172 1;Quay;7a;61348;Bad Homburg;Germany;Acme\r\n`,
    );
    expect([reply.status, reply.body]).toEqual([200, counts(1, 0, 0)]);
    const [made] = await children();
    expect(made).toMatchObject({
      name: "Harbour Shop",
      role: { _id: role },
      credentials: [{ email }],
      registrationInfo: [{ stepReached: 0, legal: null, credentials: { email } }],
      parentAccounts: [world.root.id, dealer.id],
      phone: "+49 6172 1",
      street: "Quay",
      streetNumber: "7a",
      zip: "61348",
      city: "Bad Homburg",
      country: "Germany",
      supplier: "Acme",
      readonlyAddress: true,
      version: 1,
    });
    const [mail, ...others] = await mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.text_body).toMatch(
      new RegExp(`https://console\\.example\\.com/account/${String(made?.["_id"])}/registration/[\\w-]{43}\\n`),
    );
    const trail = await world.trail(String(made?.["_id"]));
    expect(trail).toMatchObject([{ action: "create", account_id: dealer.id, after: { name: "Harbour Shop", role } }]);
    expect((await world.trail(dealer.id)).at(-1)).toMatchObject({
      action: "import",
      account_id: dealer.id,
      after: { success: 1, irrelevant: 0, error: 0, total: 1 },
    });
  });

  test("an address without a country stays open to its owner; an incomplete one is accepted", async () => {
    await send(`Name;Email;City\nA;${unique()}@example.com;Ulm`);
    expect((await children())[0]).toMatchObject({ city: "Ulm", country: null, street: null, readonlyAddress: false });
  });

  test.each([
    ["German headings, semicolons", "Kunde;E-Mail;Telefon;Straße;Hausnummer;PLZ;Ort;Land;Lieferant", ";"],
    ["English headings, commas", "Customer,Email,Phone,Street,Street Number,Postal Code,City,Country,Supplier", ","],
    ["tabs and any case", "NAME\te-mAIL\tTELEFON\tstrasse\tHausNummer\tplz\tORT\tLAND\tlieferant", "\t"],
    [
      "quoted headings",
      '"Name";"Email";"Phone";"Street";"Street Number";"Postal Code";"City";"Country";"Supplier"',
      ";",
    ],
  ])("columns: %s", async (_, head, delimiter) => {
    const row = ["Müller", `${unique()}@example.com`, "1", "Am Kai", "7", "10115", "Köln", "Deutschland", "Acme"];
    const reply = await send(`${head}\n${row.join(delimiter)}\n`);
    expect(reply.body).toEqual(counts(1, 0, 0));
    expect((await children())[0]).toMatchObject({
      name: "Müller",
      phone: "1",
      street: "Am Kai",
      streetNumber: "7",
      zip: "10115",
      city: "Köln",
      country: "Deutschland",
      supplier: "Acme",
    });
  });

  test("columns may have any order; unused ones are reported", async () => {
    const reply = await send(
      `Nr.;Email;"<b>Notes</b>\n2";;Name;Kunde\n1;${unique()}@example.com;"a <b>; c";;Shop;4711\n`,
    );
    expect(reply.body).toEqual(counts(1, 0, 0, ["Columns not used: Nr., bNotes/b 2, Kunde"]));
    expect(namesOf(await children())).toEqual(["Shop"]);
    const many = await send(`Name;Email;${Array.from({ length: 30 }, (_, n) => `C${n}`).join(";")}\n`);
    expect(many.body["logs"]).toEqual([expect.stringMatching(/^Columns not used: C0, .*, C19 and 10 more$/)]);
  });

  test.each([
    ["UTF-8", (text: string) => Buffer.from(text)],
    ["UTF-8 with BOM", (text: string) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)])],
    ["Windows-1252", (text: string) => Buffer.from(text.replaceAll("€", "\u0080"), "latin1")],
    ["UTF-16", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le")],
    ["UTF-16 without a mark", (text: string) => Buffer.from(text, "utf16le")],
    ["UTF-16 with the high byte first", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
    ["UTF-16 with the high byte first, without a mark", (text: string) => Buffer.from(text, "utf16le").swap16()],
  ])("encoding: %s", async (_, encode) => {
    const reply = await send(
      Uint8Array.from(encode(`Kunde;E-Mail;Straße\nGrößte € Läden;${unique()}@example.com;Äußere Straße`)),
    );
    expect(reply.body).toEqual(counts(1, 0, 0));
    expect((await children())[0]).toMatchObject({ name: "Größte € Läden", street: "Äußere Straße" });
  });

  test("quotes protect delimiters, any line ends are accepted, and a last empty cell is ignored", async () => {
    const [a, b] = [`${unique()}@example.com`, `${unique()}@example.com`];
    const reply = await send(`Name,Email\r\n"Smith, ""Sons"" & Co",${a},\rPlain,${b}`);
    expect(reply.body).toEqual(counts(2, 0, 0));
    expect(namesOf(await children())).toEqual(["Plain", 'Smith, "Sons" & Co']);
  });

  test("rows without an email address, or with a known or repeated one in any spelling, are irrelevant", async () => {
    const email = `${unique()}@example.com`;
    const other = `${unique()}@example.com`;
    await world.call(dealer, "POST", "/api/account", { body: { name: "Known", role, email: other } });
    const reply = await send(
      `Name;Email\nSomeone;\nSomeone;  \nA;${email}\nB;${email.toUpperCase()}\nC; ${email} \nD;${other.toUpperCase()}\nE;${dealer.email}\n`,
    );
    expect(reply.body).toEqual(counts(1, 6, 0));
    expect(namesOf(await children())).toEqual(["A", "Known"]);
    expect(await mailsTo(email)).toHaveLength(1);
  });

  test("T-21 a repeated import is irrelevant; only additional rows are created", async () => {
    const file = (n: number) => `Name;Email\n${rowsOf("again", n, `${dealer.id}`)}`;
    expect((await send(file(450))).body).toEqual(counts(450, 0, 0));
    expect((await send(file(450))).body).toEqual(counts(0, 450, 0));
    expect((await send(file(460))).body).toEqual(counts(10, 450, 0));
    expect(await children()).toHaveLength(460);
  });

  test("T-27 two concurrent imports of the same addresses create each account once", async () => {
    const file = `Name;Email\n${rowsOf("both", 300, dealer.id)}`;
    const both = await Promise.all([send(file), send(file)]);
    expect(both.map(({ body }) => Number(body["success"])).toSorted((a, b) => a - b)).toEqual([0, 300]);
    expect(await children()).toHaveLength(300);
  });

  test("an address taken meanwhile is irrelevant and does not fail other rows", async () => {
    const taken = `${unique()}@example.com`;
    const rest = rowsOf("meanwhile", 400, dealer.id);
    const race = await Promise.all([
      send(`Name;Email\n${rest}Last;${taken}\n`),
      world.call(dealer, "POST", "/api/account", { body: { name: "First", role, email: taken } }),
    ]);
    expect(race[0].body).toEqual(race[1].status === 200 ? counts(400, 1, 0) : counts(401, 0, 0));
  });
});

const rowsOf = (what: string, n: number, who: string) =>
  Array.from({ length: n }, (_, index) => `${what} ${index};${what}-${index}-${who}@example.com\n`).join("");

describe("AC-09 T-21 rows in error", () => {
  const log = (row: string) =>
    `Name;Email;Street Number\nGood;${unique()}@example.com;1\n${row}\nAlso good;${unique()}@example.com;2\n`;
  test.each([
    ["no name", () => `;${unique()}@example.com;1`, "row 3: Name: The name is required"],
    [
      "brackets",
      () => `a <b>;${unique()}@example.com;1`,
      "row 3: Name: Invalid input. Remove special characters like '<>', '[]', '{}'.",
    ],
    [
      "NUL",
      () => `a\u0000b;${unique()}@example.com;1`,
      "row 3: Name: Invalid input. Remove special characters like '<>', '[]', '{}'.",
    ],
    ["no address of an e-mail", () => "Shop;someone;1", "row 3: E-Mail: Invalid email"],
    ["CRLF in the e-mail", () => `Shop;"a@example.com\r\nBcc: b@example.com";1`, "row 3: E-Mail: Invalid email"],
    ["two addresses", () => "Shop;a@example.com,b@example.com;1", "row 3: E-Mail: Invalid email"],
    ["brackets in the e-mail", () => "Shop;Shop <shop@example.com>;1", "row 3: E-Mail: Invalid email"],
    ["a long cell", () => `Shop;${unique()}@example.com;12345678901`, "row 3: Street Number: At most 10 characters"],
    ["two faults", () => ";x;1", "row 3: Name: The name is required; E-Mail: Invalid email"],
    ["more cells than columns", () => `Shop;${unique()}@example.com;1;x`, "row 3: More cells than columns"],
    [
      "text behind a closing quote",
      () => `"Shop" & Co;${unique()}@example.com;1`,
      "row 3: There is text behind a closing quote",
    ],
    ["a quote that is never closed", () => `"Shop;${unique()}@example.com;1`, "row 3: A quote is never closed"],
  ])("%s: the row is reported, and the others are imported", async (_, row, line) => {
    const reply = await send(log(row()));
    expect([reply.status, reply.body]).toEqual([200, counts(2, 0, 1, [line])]);
    expect(namesOf(await children())).toEqual(["Also good", "Good"]);
  });

  test("a cell of nine megabytes fails only its row", async () => {
    const giant = "x".repeat(9 * 1024 * 1024);
    const reply = await send(`Name;Email\n${giant};${unique()}@example.com\nGood;${unique()}@example.com\n`);
    expect(reply.body).toEqual(counts(1, 0, 1, ["row 2: The row is too long, or a quote is never closed"]));
  });

  test("rows are numbered as a spreadsheet does: the header is row 1, blank lines count", async () => {
    const reply = await send(`Name;Email\n\n"two\nlines";x\n\nShop;y\n`);
    expect(reply.body["logs"]).toEqual(["row 3: E-Mail: Invalid email", "row 5: E-Mail: Invalid email"]);
  });

  test("names that look like formulas are stored unchanged", async () => {
    const names = ["=1+1", "+49 AG", "-x", "@home", '=HYPERLINK("http://x")'];
    const rows = names.map((name) => `"${name.replaceAll('"', '""')}";${unique()}@example.com`);
    expect((await send(`Name;Email\n${rows.join("\n")}`)).body).toEqual(counts(names.length, 0, 0));
    expect(namesOf(await children())).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  test("a row with markup is refused without quoting the markup", async () => {
    const reply = await send(
      `Name;Email\n<img src=x onerror=alert(1)>;${unique()}@example.com\nX;"<script>"@example.com\n`,
    );
    expect(reply.body).toMatchObject({ success: 0, error: 2 });
    expect(JSON.stringify(reply.body["logs"])).not.toMatch(/script|img/);
    expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });
});

describe("AC-09 T-21 refused as a whole, nothing created", () => {
  const row = () => `Name;Email\nShop;${unique()}@example.com\n`;
  const refused = async (reply: { status: number; code: unknown; body: JsonObject }, status: number, code: number) => {
    expect([reply.status, reply.code], JSON.stringify(reply.body)).toEqual([status, code]);
    expect(await children()).toEqual([]);
  };

  test.each([
    ["no name column", "E-Mail;City\na@example.com;Ulm\n"],
    ["no e-mail column", "Name;City\nShop;Ulm\n"],
    ["no header", "Shop;a@example.com\n"],
    ["nothing at all", ""],
    ["a header with a never closed quote", '"Name;Email\nShop;a@example.com\n'],
    ["a header below more rows than a title has", `${"x\n".repeat(50)}Name;Email\nShop;a@example.com\n`],
    ["a sep= line alone", "sep=;"],
    ["no text", Uint8Array.from({ length: 5000 }, (_, n) => (n * 37) % 256)],
  ])("%s: 102", async (_, content) => {
    const reply = await send(content);
    await refused(reply, 400, 102);
    expect(reply.body["details"]).toMatchObject({ field: "file" });
  });

  test("a refusal names what was read and what is missing", async () => {
    const reply = await send("Customers;;\nName;Ort;Telefon\nShop;Ulm;1");
    await refused(reply, 400, 102);
    const reason = expect.stringMatching(
      /no column E-Mail .*\. Row 2 \(UTF-8, .*\) has Name, Ort, Telefon\.$/,
    ) as string;
    expect(reply.body["details"]).toEqual({ field: "file", reason });
  });

  test("a header without rows imports nothing", async () => {
    expect((await send("Name;Email\n")).body).toEqual(counts(0, 0, 0));
  });

  test("more than 50,000 rows: 102, before the first is made", async () => {
    const rows = Array.from({ length: 50_001 }, (_, n) => `s;${n}@example.com`).join("\n");
    await refused(await send(`Name;Email\n${rows}`), 400, 102);
  });

  test("more than ten megabytes: 413", async () => {
    await refused(await send(`${row()}${"x".repeat(10 * 1024 * 1024)}`), 413, 102);
  });

  test("only the file name decides whether it is a CSV file", async () => {
    await refused(await send(row(), { name: "export.xlsx", type: "text/csv" }), 400, 102);
    await refused(await send(row(), { name: "csv" }), 400, 102);
    expect((await send(row(), { name: "EXPORT.CSV", type: "application/pdf" })).status).toBe(200);
  });

  test("the form: file and role are needed, a role must be one, and nothing else is known", async () => {
    await refused(await send(row(), { role: undefined }), 400, 104);
    await refused(await send(row(), { role: "x" }), 400, 107);
    await refused(await send(row(), { more: [["parent", "x"]] }), 400, 402);
    await refused(await send(row(), { more: [["role", role]] }), 400, 102);
    const json = await world.call(dealer, "POST", "/api/import/sap", { body: { role } });
    expect([json.status, json.code]).toEqual([415, 102]);
    const empty = await world.call(dealer, "POST", "/api/import/sap");
    expect([empty.status, empty.code]).toEqual([400, 104]);
  });

  test("107 for an invisible role, 300 for a forbidden one, 303 without the right to create accounts", async () => {
    const strangers = await roleOf(await world.account("Stranger", world.root, fullPermissions), {});
    const powerful = await roleOf(world.root, {
      owner: { canCreateOwner: true, canDeleteOwner: { relativeAncestorLevel: 50 } },
    });
    const seesRoles = { canViewObject: { me: true, relativeAncestorLevel: 1 } };
    const clerk = await world.account("Clerk", dealer, {
      ownable: { role: seesRoles },
      other: { canAssignRoles: { myChildren: true } },
    });
    const maker = await world.account("Maker", dealer, {
      ownable: { role: seesRoles },
      owner: { canCreateOwner: true },
    });
    const fellow = await world.account("Fellow", world.root, {
      ownable: { role: { canViewObject: { relativeAncestorLevel: 1 } } },
      owner: { canCreateOwner: true },
      other: { canAssignRoles: { myChildren: true } },
    });
    const outcome = async (who: Person, given: string) => {
      const { status, code } = await importSap(world, who, row(), { role: given });
      return [status, code];
    };
    expect(await outcome(dealer, strangers)).toEqual([400, 107]);
    expect(await outcome(fellow, powerful)).toEqual([403, 300]);
    expect(await outcome(maker, role)).toEqual([403, 300]);
    expect(await outcome(clerk, role)).toEqual([403, 303]);
    expect((await importSap(world, null, row(), { role })).status).toBe(401);
  });
});

describe("AC-09 progress and interruptions", () => {
  test("a caller who asks for the progress receives it, then the result", async () => {
    const streamed = await importSapStreamed(world, dealer, `Name;Email\n${rowsOf("progress", 500, dealer.id)}`, {
      role,
    });
    expect([streamed.status, streamed.type]).toEqual([200, "application/x-ndjson; charset=utf-8"]);
    const steps = streamed.lines.slice(0, -1).map(({ progress }) => progress as { done: number; total: number });
    expect(steps.length).toBeGreaterThan(1);
    expect(steps.every(({ total }) => total === 500)).toBe(true);
    expect(steps.map(({ done }) => done)).toEqual(steps.map(({ done }) => done).toSorted((a, b) => a - b));
    expect(steps.at(-1)?.done).toBe(500);
    expect(streamed.lines.at(-1)).toEqual({ result: counts(500, 0, 0) });
  });

  test("an immediate refusal keeps its status, even when progress was requested", async () => {
    const streamed = await importSapStreamed(world, dealer, "Name;City\nx;y", { role });
    expect(streamed).toMatchObject({ status: 400, lines: [{ code: 102 }] });
  });

  test(
    "five thousand rows: each bad one is reported, each good one gets account, login, mail and audit",
    { tags: "prove" },
    async () => {
      const rows = Array.from({ length: 5000 }, (_, n) => {
        if (n % 50 === 7) return `Bad ${n};not an address ${n}`;
        if (n % 50 === 8) return `None ${n};`;
        return `Shop ${n};bulk-${n}-${dealer.id}@example.com`;
      });
      const { body } = await send(`Name;Email\n${rows.join("\n")}`);
      const bad = rows.flatMap((row, n) => (row.startsWith("Bad") ? [`row ${n + 2}: E-Mail: Invalid email`] : []));
      expect(body).toEqual(counts(4800, 100, 100, bad));
      const { rows: stored } = await sql<{ accounts: number; logins: number; mails: number; trails: number }>`
      select count(*) as accounts, count(c.id) as logins, count(m.id) as mails, count(t.id) as trails
      from account a join credential c on c.account_id = a.id and c.step = 0
      join mail_outbox m on m.recipient = c.email and position(a.id::text in m.text_body) > 0
      join audit t on t.object_id = a.id::text and t.action = 'create' where a.parent_id = ${dealer.id}`.execute(
        world.ctx.db,
      );
      expect(stored).toEqual([{ accounts: 4800, logins: 4800, mails: 4800, trails: 4800 }]);
    },
  );

  test("any bytes called a CSV file get a result or a refusal", { tags: "prove" }, async () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    const likely = fc.array(fc.constantFrom("a", "@example.com", ";", '"', "\n", "\r\n", "\u0000", "<", "é"), {
      maxLength: 40,
    });
    const content = fc.oneof(
      bytes.map((some) => Buffer.from(some)),
      fc.tuple(likely, bytes).map(([text, some]) => Buffer.concat([Buffer.from(`Name;Email\n${text.join("")}`), some])),
    );
    for (const one of fc.sample(content, { seed: 11, numRuns: 150 })) {
      const { status, body } = await send(Uint8Array.from(one));
      expect([200, 400], JSON.stringify([one.toString("latin1"), body])).toContain(status);
      if (status === 200) expect(body["logs"]).toHaveLength(Number(body["error"]));
    }
  });

  test("rights lost during the import: every remaining row is reported", async () => {
    const clerk = await world.account("Clerk", dealer, {
      ...fullPermissions,
      ownable: { ...fullPermissions.ownable, role: { canViewObject: { me: true, relativeAncestorLevel: 1 } } },
    });
    const all = 4000;
    const running = importSap(world, clerk, `Name;Email\n${rowsOf("lost", all, clerk.id)}`, { role });
    await expect.poll(async () => (await children(clerk)).length, { interval: 5 }).toBeGreaterThan(0);
    const { role_id: held } = await world.ctx.db
      .selectFrom("account")
      .select("role_id")
      .where("id", "=", clerk.id)
      .executeTakeFirstOrThrow();
    const cut = { permissions: { owner: { canViewOwner: { me: true, myChildren: true } } } };
    expect((await world.call(world.root, "PUT", `/api/role/${held}`, { body: cut })).status).toBe(200);
    const { status, body } = await running;
    const { success, error, logs } = body as { success: number; error: number; logs: string[] };
    expect(status).toBe(200);
    expect(success).toBeGreaterThan(0);
    expect(error).toBeGreaterThan(0);
    expect(success + error).toBe(all);
    expect(logs).toHaveLength(error);
    expect(logs.at(-1)).toBe(`row ${all + 1}: The given role is invalid.`);
    expect((await children(clerk)).length).toBe(success);
  });

  test("an idempotency key returns the same response, and refuses another file", async () => {
    const headers = { "idempotency-key": unique() };
    const file = `Name;Email\nShop;${unique()}@example.com\n`;
    const first = await send(file, { headers });
    expect(first.body).toEqual(counts(1, 0, 0));
    expect((await send(file, { headers })).body).toEqual(first.body);
    expect((await send(`${file}B;${unique()}@example.com\n`, { headers })).status).toBe(409);
    expect(await children()).toHaveLength(1);
  });

  test("an account's third queued import is refused; the others run one by one", async () => {
    const file = `Name;Email\n${rowsOf("line", 600, dealer.id)}`;
    const three = await Promise.all([send(file), send(file), send(file)]);
    expect(three.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 429]);
    expect(three.find(({ status }) => status === 429)?.headers.get("retry-after")).toBe("30");
    expect(await children()).toHaveLength(600);
  });

  test("invitations of an import do not delay other mails", async () => {
    const email = `${unique()}@example.com`;
    await send(`Name;Email\nShop;${email}\n`);
    const single = `${unique()}@example.com`;
    await world.call(dealer, "POST", "/api/account", { body: { name: "One", role, email: single } });
    expect([(await mailsTo(email))[0]?.bulk, (await mailsTo(single))[0]?.bulk]).toEqual([true, false]);
  });

  test("viewers are notified of every new account", async () => {
    const live = await world.live(dealer);
    await send(`Name;Email\nShop;${unique()}@example.com\n`);
    const [made] = await children();
    expect((await live.heard("account", "create", String(made?.["_id"]))).obj).toMatchObject({ name: "Shop" });
    live.close();
  });
});
