// One object of every kind on a running server.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { createStillClock } from "../snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../world.ts";

export type SceneIds = {
  account: string;
  child: string;
  role: string;
  sensor: string;
  batch: string;
  location: string;
  event: string;
  initToken: string;
  report: string;
  firmware: string;
  issue: string;
  vehicle: string;
};
export type Scene = {
  world: World;
  customer: Person;
  viewer: Person;
  stranger: Person;
  roleless: Person;
  ids: SceneIds;
};

export const everywhere = { me: true, myChildren: true };
const seesAll = { canViewObject: everywhere };
const upwards = { me: true, relativeAncestorLevel: 1 };

/**
 * A customer with one object of each kind, an account that may only view these objects, an unrelated account, and an
 * account without a role.
 */
export async function createScene(env: Record<string, string> = {}): Promise<Scene> {
  const world = await createWorld({ env, clock: createStillClock() });
  const customer = await world.account("Harbour Stores", world.root, fullPermissions);
  const child = await world.account("Branch", customer, { ownable: { sensor: seesAll } });
  const view = { canViewObject: upwards };
  const viewer = await world.account("Viewer", customer, {
    owner: { canViewOwner: upwards },
    ownable: { artifact: view, measurement: view, role: view, sensor: view },
  });
  const stranger = await world.account("Other Customer", world.root, fullPermissions);
  const roleless = await world.account("Someone", customer, null);
  const make = async (path: string, body: JsonObject) => (await world.call(customer, "POST", path, { body })).id;
  const owner = customer.id;
  const ids = {
    account: customer.id,
    child: child.id,
    role: await make("/api/role", { name: "Janitor", owner }),
    sensor: await make("/api/sensor", { _id: "02:00:00:00:00:01", owner, type: "APS" }),
    location: await make("/api/measurement", { name: "Harbour Shop", owner }),
    initToken: await make("/api/init_token", { name: "Roll-out", owner }),
    report: await make("/api/report", newReport(owner, "Weekly numbers")),
    firmware: (await world.upload(customer, { type: "APS", name: "1.2.3" }, new TextEncoder().encode("image"))).id,
    event: "",
    batch: "",
    issue: "0190a000-0000-7000-8000-000000000001",
    vehicle: `${owner}_tram-1`,
  };
  const sale = { name: "Sale", from: "2024-05-06", to: "2024-05-11", scope: { measIDs: [ids.location] } };
  ids.event = await make("/api/v2/event", sale);
  const all = { sensorIDs: [ids.sensor], changes: { groups: ["south"] } };
  await world.call(customer, "PUT", "/api/v2/sensor/batch-update", { body: all });
  ids.batch = String((await world.call(customer, "GET", "/api/v2/sensor/batches")).list[0]?.["_id"]);
  await layOutClaimable(world, stranger);
  await layOutIssue(world, customer, ids);
  await layOutCoach(world, customer);
  return { world, customer, viewer, stranger, roleless, ids };
}

export function newReport(owner: string, name: string): JsonObject {
  const schedule = { every: "week", on: "mo", at: "07:00", zone: "Europe/Berlin" };
  return { name, owner, range: "lastWeek", recipients: ["manager@example.com"], schedule };
}

export const claimable = { id: "02:00:00:00:00:02", code: "SCENE234" };

async function layOutClaimable(world: World, owner: Person): Promise<void> {
  const { id, code } = claimable;
  await world.call(owner, "POST", "/api/sensor", { body: { _id: id, owner: owner.id, type: "APS" } });
  await world.ctx.db.updateTable("sensor").set({ claimable: true, claiming_code: code }).where("id", "=", id).execute();
}

/** An open issue of a sensor that no sample uses. */
async function layOutIssue(world: World, customer: Person, { issue }: SceneIds): Promise<void> {
  const { db, clock } = world.ctx;
  const id = "02:00:00:00:00:03";
  await world.call(customer, "POST", "/api/sensor", { body: { _id: id, owner: customer.id, type: "APS" } });
  const { num } = await db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow();
  const what = { sensor_num: num, issue_type: "osd", issue_status: "Warning" } as const;
  const [start_ms, end_ms] = [clock.now(), clock.now()];
  const found = { issue_message: "The lens is covered", location_id: null, start_ms, end_ms };
  await db
    .insertInto("monitoring_status")
    .values({ id: issue, ...what, ...found })
    .execute();
  const owner = { owner_id: customer.id, owner_path: customer.path };
  await db
    .insertInto("sensor_issue")
    .values({
      ...what,
      ...owner,
      status_id: issue,
      opened_id: issue,
      opened_ms: start_ms,
      started_ms: start_ms,
      sensor_id: id,
    })
    .execute();
}

/** The only coach of the vehicle `tram-1`. */
async function layOutCoach(world: World, customer: Person): Promise<void> {
  const id = "02:00:00:00:00:04";
  await world.call(customer, "POST", "/api/sensor", { body: { _id: id, owner: customer.id, type: "ZOD" } });
  const { db, clock } = world.ctx;
  const { num } = await db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow();
  const sections = [{ id: "s1", name: "Main", levelId: "l1", seats: 20, standing: 10 }];
  const values = { coach: { name: "Coach", vehicleId: "tram-1", carriageSequence: 1 }, levels: [], sections };
  const answer = JSON.stringify({ rev: 1, values });
  await db
    .insertInto("sensor_section")
    .values({ sensor_num: num, section: "group", answer, read_at: clock.date() })
    .execute();
}
