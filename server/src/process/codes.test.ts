// Provokes every error code over HTTP and checks its message and status.
import { serverErrors, type ServerErrorCode, errorEntry } from "@psp/contract/errors.ts";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../db/migrate.ts";
import { findFailureFault } from "../testing/requests/failure.ts";
import { createDatabaseWire } from "../testing/database/database-wire.ts";
import { createTestDatabase } from "../testing/postgres.ts";
import { createScene, everywhere, type Scene } from "../testing/scenes/scene.ts";
import { captureSnapshot } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type Reply, type World } from "../testing/world.ts";

let scene: Scene;
let customer: Person;
let other: Record<"location" | "firmware", string>;
beforeAll(async () => {
  scene = await createScene();
  customer = scene.customer;
  const { world, ids } = scene;
  other = {
    location: (await world.call(customer, "POST", "/api/measurement", { body: { name: "Hall", owner: ids.child } })).id,
    firmware: await world.firmware(customer, "APS", "2.0.0"),
  };
});
afterAll(() => scene.world.stop());

const missing = "0190a000-0000-7000-8000-ffffffffffff";
/** Checks that a refused call writes nothing. Signing in is exempt, because it counts wrong passwords. */
async function send(who: Person | null, method: string, path: string, body?: unknown): Promise<Reply> {
  const before = await captureSnapshot(scene.world.ctx.db);
  const reply = await scene.world.call(who, method, path, body === undefined ? {} : { body });
  if (reply.status >= 400 && path !== "/api/auth/login")
    expect(await captureSnapshot(scene.world.ctx.db)).toEqual(before);
  return reply;
}
const post = (path: string, body: JsonObject, who: Person | null = customer) => send(who, "POST", path, body);
const put = (path: string, body: JsonObject, who: Person | null = customer) => send(who, "PUT", path, body);
const login = (changes: JsonObject[]) => put(`/api/account/${scene.ids.child}`, { credentialChanges: changes });
const password = "violet-harbour-lantern";

function colleague(permissions: Permissions): Promise<Person> {
  return scene.world.account("Colleague", customer, permissions);
}
const upwards = { me: true, relativeAncestorLevel: 1 };
const looks: Permissions = {
  owner: { canViewOwner: upwards },
  ownable: {
    sensor: { canViewObject: upwards },
    measurement: { canViewObject: upwards },
    artifact: { canViewObject: upwards },
    role: { canViewObject: upwards },
  },
};
const alsoSensor = (
  more: NonNullable<NonNullable<Permissions["ownable"]>["sensor"]>,
  rest: Permissions = {},
): Permissions => ({
  ...looks,
  ...rest,
  ownable: { ...looks.ownable, sensor: { canViewObject: upwards, ...more } },
});

const causes: [ServerErrorCode, string, () => Promise<Reply>][] = [
  [102, "a number out of its range", () => send(customer, "GET", "/api/v2/sensor?limit=501")],
  [103, "an owner that no one can see", () => post("/api/measurement", { name: "Shop", owner: missing })],
  [
    103,
    "a parent that no one can see",
    async () => put(`/api/account/${await waiting()}`, { acceptRegistration: true, directParentAccount: missing }),
  ],
  [104, "a field that must be there", () => post("/api/measurement", { name: "Shop" })],
  [
    104,
    "an accepted sign-up without its parent",
    async () => put(`/api/account/${await waiting()}`, { acceptRegistration: true }),
  ],
  [105, "an object that is not there", () => send(customer, "GET", `/api/measurement/${missing}`)],
  [105, "an object out of sight", () => send(scene.stranger, "GET", `/api/measurement/${scene.ids.location}`)],
  [106, "no session", () => send(null, "GET", "/api/account")],
  [106, "a wrong password", () => post("/api/auth/login", { email: customer.email, password }, null)],
  [
    107,
    "a role that no one can see",
    () => post("/api/account", { name: "Branch", role: missing, email: "branch-107@example.com" }),
  ],
  [108, "an empty name", () => post("/api/init_token", { name: " ", owner: customer.id })],
  [109, "a role's name twice for one owner", () => post("/api/role", { name: "jANITOR", owner: customer.id })],
  [109, "a firmware version twice for one owner", () => put(`/api/artifact/${other.firmware}`, { name: "1.2.3" })],
  [200, "the last complete login removed", async () => login([{ operation: "REMOVE", email: await childEmail() }])],
  [
    201,
    "an address twice in one account",
    async () => login([{ operation: "ADD", email: await childEmail(), newPassword: password }]),
  ],
  [202, "no address", () => post("/api/account", { name: "Branch", role: scene.ids.role })],
  [202, "an empty address", () => post("/api/account", { name: "Branch", role: scene.ids.role, email: " " })],
  [204, "what is no address", () => post("/api/account", { name: "Branch", role: scene.ids.role, email: "branch" })],
  [
    204,
    "an address that the account does not have",
    () => login([{ operation: "REMOVE", email: "someone@example.com" }]),
  ],
  [
    205,
    "a password that is too short",
    () => login([{ operation: "ADD", email: "new@example.com", newPassword: "short" }]),
  ],
  [206, "no password", () => login([{ operation: "ADD", email: "new@example.com" }])],
  [206, "an empty password", () => login([{ operation: "ADD", email: "new@example.com", newPassword: "" }])],
  [
    207,
    "logins of somebody who has not answered the invitation",
    async () =>
      put(`/api/account/${await invited()}`, {
        credentialChanges: [{ operation: "ADD", email: "x@example.com", newPassword: password }],
      }),
  ],
  [
    300,
    "a role given by somebody who may not",
    async () => {
      const who = await colleague({ ...looks, owner: { canCreateOwner: true, canViewOwner: upwards } });
      return post("/api/account", { name: "Branch", role: scene.ids.role, email: "branch-300@example.com" }, who);
    },
  ],
  [
    300,
    "a role beyond the giver's own",
    async () => {
      const strong = (
        await post("/api/role", {
          name: "Strong 300",
          owner: customer.id,
          permissions: { owner: { canDeleteOwner: everywhere } },
        })
      ).id;
      const who = await colleague({
        ...looks,
        other: { canAssignRoles: everywhere },
        owner: { canCreateOwner: true, canViewOwner: upwards },
      });
      return post("/api/account", { name: "Branch", role: strong, email: "branch-300b@example.com" }, who);
    },
  ],
  [
    301,
    "a sensor put where one may not",
    async () =>
      put(
        `/api/sensor/${scene.ids.sensor}`,
        { measID: scene.ids.location },
        await colleague(alsoSensor({ canEditObject: upwards })),
      ),
  ],
  [
    302,
    "a sensor handed over",
    async () => {
      const who = await colleague(alsoSensor({ canEditObject: upwards }));
      return put(`/api/sensor/${scene.ids.sensor}`, { owner: who.id }, who);
    },
  ],
  [
    303,
    "a sensor made for somebody",
    async () =>
      post("/api/sensor", { _id: "02:00:00:00:03:03", owner: customer.id, type: "APS" }, await colleague(looks)),
  ],
  [
    303,
    "an account",
    async () =>
      post(
        "/api/account",
        { name: "Branch", role: scene.ids.role, email: "branch-303@example.com" },
        await colleague(looks),
      ),
  ],
  [
    304,
    "a location deleted",
    async () => send(await colleague(looks), "DELETE", `/api/measurement/${scene.ids.location}`),
  ],
  [304, "an account with children deleted", () => send(scene.world.root, "DELETE", `/api/account/${customer.id}`)],
  [304, "the root account deleted", () => send(scene.world.root, "DELETE", `/api/account/${scene.world.root.id}`)],
  [
    305,
    "a location edited",
    async () => put(`/api/measurement/${scene.ids.location}`, { name: "Mine" }, await colleague(looks)),
  ],
  [305, "one's own role edited", () => put(`/api/role/${scene.world.root.roleId}`, { name: "Mine" }, scene.world.root)],
  [306, "a license granted by a customer", () => put(`/api/sensor/${scene.ids.sensor}/licenses`, { monitoring: true })],
  [
    308,
    "a role beyond one's own",
    async () => {
      const who = await colleague({
        ...looks,
        ownable: { ...looks.ownable, role: { canViewObject: upwards, canCreateObjectFor: upwards } },
      });
      return post(
        "/api/role",
        { name: "Strong 308", owner: who.id, permissions: { owner: { canCreateOwner: true } } },
        who,
      );
    },
  ],
  [
    309,
    "a firmware that one may see but not use",
    async () =>
      put(
        `/api/sensor/${scene.ids.sensor}`,
        { artifact: other.firmware },
        await colleague(alsoSensor({ canEditObject: upwards })),
      ),
  ],
  [
    310,
    "the package of a firmware that one may see but neither use nor edit",
    async () => {
      const seer = await colleague({ ownable: { artifact: { canViewObject: upwards } } });
      return scene.world.call(seer, "GET", `/api/artifact/${scene.ids.firmware}/package`);
    },
  ],
  [400, "brackets in a name", () => post("/api/measurement", { name: "<b>Shop</b>", owner: customer.id })],
  [
    401,
    "an occupancy without a count",
    () =>
      post(`/api/measurement/${scene.ids.location}/datapoints`, {
        type: "occupancy",
        startUTC: "2024-05-06T10:00:00Z",
        endUTC: "2024-05-06T10:05:00Z",
        data: {},
      }),
  ],
  [402, "a number for a name", () => post("/api/measurement", { name: 7, owner: customer.id })],
  [
    409,
    "another account's address",
    () => post("/api/account", { name: "Branch", role: scene.ids.role, email: scene.stranger.email.toUpperCase() }),
  ],
];

async function childEmail(): Promise<string> {
  return String((await send(customer, "GET", `/api/account/${scene.ids.child}`)).at("credentials.0.email"));
}
let signUps = 0;
async function waiting(): Promise<string> {
  const made = await scene.world.account(`Sign-up ${(signUps += 1)}`, customer, null);
  await scene.world.ctx.db.updateTable("credential").set({ step: -1 }).where("account_id", "=", made.id).execute();
  return made.id;
}
async function invited(): Promise<string> {
  return (
    await post("/api/account", {
      name: "Invited",
      role: scene.ids.role,
      email: `invited-${(signUps += 1)}@example.com`,
    })
  ).id;
}

test.each(causes)("ER-01 PE-04 %i by its cause: %s", async (code, _cause, provoke) => {
  const reply = await provoke();
  expect([reply.code, reply.status], JSON.stringify(reply.body)).toEqual([code, errorEntry(code).status]);
  expect(reply.at("error")).toBe(errorEntry(code).message);
  expect(
    findFailureFault({
      status: reply.status,
      contentType: reply.headers.get("content-type") ?? "",
      requestId: reply.headers.get("x-request-id"),
      text: JSON.stringify(reply.body),
    }),
  ).toBeNull();
});

const broken: ServerErrorCode[] = [100, 101, 307];

test("ER-01 every server code is reached by its cause", () => {
  const reached = new Set<number>([...broken, ...causes.map(([code]) => code)]);
  expect(
    Object.values(serverErrors)
      .map(({ code }) => code)
      .filter((code) => !reached.has(code)),
  ).toEqual([]);
});

test("ER-01 100 while the database is unavailable: 503 with Retry-After everywhere, then recovery", async () => {
  const database = await createTestDatabase(migrate);
  const wire = await createDatabaseWire(database.url);
  let world: World | null = null;
  try {
    world = await createWorld({ env: { DATABASE_URL: wire.url } });
    const person = await world.account("Harbour Stores", world.root, fullPermissions);
    expect((await world.call(person, "GET", "/api/v2/measurement")).status).toBe(200);
    wire.cut();
    for (const [method, path, body] of [
      ["GET", "/api/v2/measurement", undefined],
      ["POST", "/api/measurement", { name: "Shop", owner: person.id }],
      ["POST", "/api/auth/login", { email: person.email, password }],
      ["GET", "/api/auth/user", undefined],
    ] as const) {
      const reply = await world.call(person, method, path, body === undefined ? {} : { body });
      expect([reply.status, reply.code], `${method} ${path}`).toEqual([503, 100]);
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(reply.at("error")).toBe("A database error occured.");
    }
    const health = async (of: World) => {
      const { status, body, headers } = await of.call(null, "GET", "/health");
      // The version is available in both states, for support.
      expect(headers.get("x-version")).toMatch(/^\d+\.\d+\.\d+/);
      return [status, body];
    };
    expect(await health(world)).toEqual([503, { status: "unavailable" }]);
    await wire.mend();
    expect(await health(world)).toEqual([200, { status: "ok" }]);
    expect(
      (await world.call(person, "POST", "/api/measurement", { body: { name: "Shop", owner: person.id } })).status,
    ).toBe(200);
    expect((await world.call(person, "GET", "/api/v2/measurement?includeTotals=true")).at("total")).toBe(1);
  } finally {
    await world?.stop();
    wire.cut();
    await database.drop();
  }
});

test("ER-01 307 while rights can't be loaded: 503 with Retry-After, neither admitted nor signed out", async () => {
  const database = await createTestDatabase(migrate);
  const wire = await createDatabaseWire(database.url);
  let world: World | null = null;
  try {
    world = await createWorld({ env: { DATABASE_URL: wire.url } });
    const person = await world.account("Harbour Stores", world.root, fullPermissions);
    wire.cut();
    for (const path of ["/api/v2/measurement", "/api/auth/user"]) {
      const reply = await world.call(person, "GET", path);
      expect([reply.status, reply.code, reply.at("error")], path).toEqual([
        503,
        307,
        "Failed to check permission, please try again.",
      ]);
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(reply.headers.getSetCookie()).toEqual([]);
    }
    await wire.mend();
    expect((await world.call(person, "GET", "/api/auth/user")).status).toBe(200);
  } finally {
    await world?.stop();
    wire.cut();
    await database.drop();
  }
});

test("ER-01 101 for secrets sealed with another SESSION_SECRET, without internals; the rest works", async () => {
  const { world, ids } = scene;
  const other = await createWorld({
    env: { DATABASE_URL: world.databaseUrl, SESSION_SECRET: "another-secret-that-is-long-enough-for-the-product" },
  });
  try {
    const path = `/api/init_token/${ids.initToken}`;
    const reply = await other.call(customer, "GET", path);
    expect([reply.status, reply.code, reply.at("error")]).toEqual([500, 101, "An internal server error occured."]);
    expect(Object.keys(reply.body as object).toSorted()).toEqual([
      "code",
      "error",
      "requestId",
      "status",
      "title",
      "type",
    ]);
    expect((await other.call(customer, "GET", "/api/v2/measurement")).status).toBe(200);
    expect((await world.call(customer, "GET", path)).status).toBe(200);
  } finally {
    await other.stop();
  }
});
