// Sends 1 MiB of combining marks in every text of every call, and digits in passwords: they are refused cheaply while others are
// served.
import { calls } from "@psp/contract/api.ts";
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import { signUpForm } from "../testing/scenes/registrants.ts";
import { importSap } from "../testing/requests/sap-upload.ts";
import { addressOf, sampleOf } from "../testing/scenes/samples.ts";
import { createScene, type Scene } from "../testing/scenes/scene.ts";
import { heavyTexts, findTextPlaces } from "../testing/requests/text-places.ts";
import type { JsonObject, Reply } from "../testing/world.ts";

let scene: Scene;
beforeAll(async () => void (scene = await createScene()));
afterAll(() => scene.world.stop());

/** Bytes, just below the limits: long for a text in a body, short for one in a URL or form field. */
const longBytes = 1024 * 1024 - 8192;
const shortBytes = 2000;
const marks = (bytes: number) => heavyTexts(bytes)["marks"] ?? "";
const allowedCpuMs = 50;
const allowedStallMs = 100;
/** Garbage collection delays some attempts, but not all. */
const attempts = 6;

const cpuMsSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
};

async function healthMs(): Promise<number> {
  const before = process.threadCpuUsage();
  const { status } = await scene.world.call(null, "GET", "/health");
  expect(status).toBe(200);
  return cpuMsSince(before);
}

/** Calls /health until the work is done. Returns the CPU time of the work, and the most that the thread used during one such call. */
async function strainOf<T>(work: () => Promise<T>): Promise<{ result: T; cpuMs: number; stallMs: number }> {
  const before = process.threadCpuUsage();
  let isDone = false;
  const done = work().finally(() => (isDone = true));
  let stallMs = 0;
  let asked = 0;
  while (!isDone) {
    stallMs = Math.max(stallMs, await healthMs());
    asked += 1;
  }
  const result = await done;
  return { result, cpuMs: cpuMsSince(before) - asked * perHealthMs, stallMs };
}

let idleMs = 0;
let perHealthMs = 0;
async function measureIdle(): Promise<void> {
  const rounds = 20;
  for (let n = 0; n < rounds; n += 1) await healthMs();
  const before = process.threadCpuUsage();
  const times: number[] = [];
  for (let n = 0; n < rounds; n += 1) times.push(await healthMs());
  perHealthMs = cpuMsSince(before) / rounds;
  idleMs = times.toSorted((a, b) => a - b)[rounds / 2] ?? 0;
}

/** Returns null if the work was light in any attempt, else the cost of the last attempt. */
async function heaviness<T>(work: () => Promise<T>, light: () => Promise<unknown>): Promise<string | null> {
  const reports: string[] = [];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const usual = await strainOf(light);
    const { cpuMs, stallMs } = await strainOf(work);
    if (cpuMs <= usual.cpuMs + allowedCpuMs && stallMs <= idleMs + allowedStallMs) return null;
    reports.push(`${Math.round(cpuMs)} ms of work, ${Math.round(stallMs)} ms of it before /health`);
  }
  return reports.at(-1) ?? null;
}

type Shot = { name: string; long: boolean; send: (text: string) => Promise<{ status: number }> };

/** Returns one request per text field of a call: the sample request with another text in that field. */
function shotsAt(call: AnyEndpoint): Shot[] {
  const sample = sampleOf(call, scene.ids);
  const who = call.caller === "session" ? scene.customer : null;
  const send = (change: Partial<typeof sample>) =>
    scene.world.call(who, call.method, addressOf(call, { ...sample, ...change }), {
      body: call.body ? (change.body ?? sample.body) : undefined,
    });
  const places = (schema: z.ZodType | undefined) => (schema ? findTextPlaces(schema) : []);
  return [
    ...places(call.params).map(({ path, put }) => ({
      name: `${call.name} {${path}}`,
      long: false,
      send: (text: string) => send({ params: { ...sample.params, ...(put(text) as Record<string, string>) } }),
    })),
    ...places(call.query).map(({ path }) => ({
      name: `${call.name} ?${path}`,
      long: false,
      send: (text: string) => send({ query: `${path.split(".")[0]}=${encodeURIComponent(text)}` }),
    })),
    ...places(call.body).map(({ path, put }) => ({
      name: `${call.name} ${path}`,
      long: true,
      send: (text: string) => send({ body: { ...sample.body, ...(put(text) as JsonObject) } }),
    })),
  ];
}

test(
  "ER-03 T-26 while 1 MiB of marks is sent to every text of every call, /health responds as at rest",
  { timeout: 300_000, tags: "prove" },
  async () => {
    await measureIdle();
    const wrong: string[] = [];
    const statuses = new Map<number, number>();
    for (const call of calls) {
      for (const { name, long, send } of shotsAt(call)) {
        const bytes = long ? longBytes : shortBytes;
        const heavy = marks(bytes);
        const plain = "\u00e4".repeat(bytes / 2);
        let status = 0;
        const report = await heaviness(
          async () => ({ status } = await send(heavy)),
          () => send(plain),
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (report !== null) wrong.push(`${name}: ${report}`);
        if (status < 400 || status >= 500) wrong.push(`${name}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
    // Status 400 means that the text was parsed and refused, not just too long for the endpoint.
    expect(statuses.get(400) ?? 0).toBeGreaterThan(150);
  },
);

test("ER-03 T-26 marks in form fields delay no one", { timeout: 300_000, tags: "prove" }, async () => {
  await measureIdle();
  const { world, customer } = scene;
  const image = new TextEncoder().encode("image");
  const fields = { name: "9.9.9", type: "APS", owner: customer.id, objPerm: '{"childrenCanViewObject":true}' };
  for (const field of ["name", "type", "owner", "objPerm"] as const) {
    const send = (text: string) => world.upload(customer, { ...fields, [field]: text }, image);
    expect((await send(marks(4000))).status, field).toBe(400);
    const report = await heaviness(
      () => send(marks(longBytes)),
      () => send("\u00e4".repeat(longBytes / 2)),
    );
    expect(report, field).toBe(null);
  }
});

test("AC-09 T-26 an import full of marks reports row by row and delays no one", { timeout: 300_000 }, async () => {
  await measureIdle();
  const { world, customer, ids } = scene;
  const rows = 40;
  const sheet = (text: string) =>
    [`Name;E-Mail;${text}`, ...Array.from({ length: rows }, (_, n) => `Shop ${n};${text}${n}@example.com;x`)].join(
      "\r\n",
    );
  const send = (text: string) => importSap(world, customer, sheet(text), { role: ids.role });
  const pile = marks(50_000);
  const { body } = await send(pile);
  expect(body).toMatchObject({ success: 0, irrelevant: 0, error: rows, total: rows });
  expect(body["logs"]).toContain("row 2: E-Mail: Invalid email");
  const report = await heaviness(
    () => send(pile),
    () => send("\u00e4".repeat(25_000)),
  );
  expect(report).toBe(null);
});

test(
  "AU-07 T-26 passwords of very many digits delay no one, wherever they are checked",
  { timeout: 300_000 },
  async () => {
    await measureIdle();
    const { world, customer } = scene;
    await world.call(null, "PUT", "/api/auth/login/forgot_password", { body: { email: customer.email } });
    const { text_body } = await world.ctx.db
      .selectFrom("mail_outbox")
      .select("text_body")
      .where("recipient", "=", customer.email)
      .executeTakeFirstOrThrow();
    const token = /\?token=(\S+)/.exec(text_body)?.[1];
    const endpoints: [string, number, (password: string) => Promise<Reply>][] = [
      [
        "evaluate_password",
        1024,
        (password) => world.call(null, "PUT", "/api/auth/evaluate_password", { body: { password } }),
      ],
      [
        "reset_password",
        4096,
        (password) => world.call(null, "PUT", `/api/auth/login/reset_password?token=${token}`, { body: { password } }),
      ],
      [
        "sign-up",
        1024,
        (password) => {
          const body = signUpForm("heavy@example.com", { credentials: { email: "heavy@example.com", password } });
          return world.call(null, "POST", "/api/account/registration", { body });
        },
      ],
    ];
    // Worst case: Unicode normalization (NFKC) expands each character to three digits, and the letters come last.
    const filled = (digit: string, length: number) => `${digit.repeat(length - 8)}㉟㊷㊿xyzé!`;
    for (const [name, most, send] of endpoints) {
      const reply = await send(filled("\u2152", most));
      expect(JSON.stringify(reply.at("details")), name).toContain("At most 256 characters");
      const report = await heaviness(
        () => send(filled("\u2152", most)),
        () => send(filled("x", most)),
      );
      expect(report, name).toBe(null);
    }
  },
);
