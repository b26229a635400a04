// A small tree of accounts, each with a sensor with an open issue at a location with a tag, and coaches of vehicles.
import { toMac } from "@psp/contract/kit/mac.ts";
import {
  type AccountNode,
  mayActOnAccount,
  mayDo,
  type PermissionsDoc,
} from "@psp/contract/permission/oracle.testing.ts";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { uuidv7 } from "../../kit/uuid.ts";
import { createStillClock } from "../snapshot.ts";
import { createWorld, type Person, type World } from "../world.ts";
import { groupValues, storeLevel } from "./feed-scene.ts";

/** An account as the oracle sees it, and what it owns. */
export type Member = {
  who: Person;
  node: AccountNode;
  login: string;
  seenAt: string;
  location: { id: string; name: string; tag: string };
  issue: Issue;
  coaches: Coach[];
};
export type Issue = {
  id: string;
  sensor: string;
  owner: Member;
  status: "Error" | "Warning";
  /** The location of the sensor, which may be that of another account. */
  at: Member;
  assignee: Member | null;
  author: Member;
  note: string;
  isSnoozed: boolean;
};
export type Coach = { sensor: string; vehicleId: string; line: string; key: string };

/** Coaches of two accounts have this vehicle id. */
export const sharedVehicle = "shared";

const words = ["Operator", "Dealer", "North", "Mill", "Quay", "Helper", "South", "Hill", "Silent", "Watcher", "Blind"];
type Word = (typeof words)[number];

const sees = (scope: object) => ({ canViewObject: scope });
const own: Permissions = { ownable: { sensor: sees({ me: true }), measurement: sees({ me: true }) } };
const near = { me: true, relativeAncestorLevel: 1 };
/** May edit the sensors of its own account only. */
const nearPermissions: Permissions = {
  owner: { canViewOwner: near },
  ownable: { sensor: { ...sees(near), canEditObject: { me: true } }, measurement: sees(near) },
};
const roleOf = (...people: Person[]) => ({ roles: people.map(({ roleId }) => roleId ?? "") });

async function createPeople(world: World): Promise<[Person, Person | null, Permissions | null][]> {
  const { root } = world;
  const all: [Person, Person | null, Permissions | null][] = [[root, null, fullPermissions]];
  const account = async (name: Word, parent: Person, permissions: Permissions | null) => {
    const who = await world.account(`${name} Company`, parent, permissions);
    all.push([who, parent, permissions]);
    return who;
  };
  await sql`update account set name = 'Operator Company' where id = ${root.id}`.execute(world.ctx.db);
  root.name = "Operator Company";
  const dealer = await account("Dealer", root, fullPermissions);
  const north = await account("North", dealer, fullPermissions);
  const mill = await account("Mill", north, fullPermissions);
  await account("Quay", north, own);
  await account("Helper", north, nearPermissions);
  const south = await account("South", dealer, fullPermissions);
  const hill = await account("Hill", south, fullPermissions);
  await account("Silent", south, null);
  const some = roleOf(mill);
  await account("Watcher", dealer, {
    owner: { canViewOwner: some },
    ownable: { sensor: { ...sees(some), canEditObject: some }, measurement: sees(some) },
  });
  // Sees neither the account nor its locations.
  await account("Blind", south, { ownable: { sensor: sees(roleOf(hill)) } });
  return all;
}

function toNodes(people: readonly [Person, Person | null, Permissions | null][]): AccountNode[] {
  const nodes = new Map<string, AccountNode>();
  for (const [who, above, permissions] of people) {
    const parent = nodes.get(above?.id ?? "") ?? null;
    const role = permissions && {
      id: who.roleId ?? "",
      deleted: false,
      permissions: JSON.parse(JSON.stringify(permissions)) as PermissionsDoc,
    };
    const node: AccountNode = { id: who.id, parent, children: [], role, deleted: false };
    parent?.children.push(node);
    nodes.set(who.id, node);
  }
  return [...nodes.values()];
}

export async function createViewerScene() {
  const clock = createStillClock();
  const world = await createWorld({ env: { PARTS: "api,gateway" }, clock });
  const { db } = world.ctx;
  const people = await createPeople(world);
  const nodes = toNodes(people);
  const logins = await db.selectFrom("credential").select(["id", "account_id"]).execute();
  const newId = () => uuidv7(clock.now());
  const members = people.map(([who], n) => {
    const word = words[n] ?? "";
    const location = { id: newId(), name: `${word} Hall`, tag: `${word} Tag` };
    const login = logins.find((one) => one.account_id === who.id)?.id ?? "";
    const seenAt = new Date(clock.now() - (n + 1) * 60_000).toISOString();
    const issue = {
      id: newId(),
      sensor: toMac(0x0200_0001_0001 + n),
      status: n % 2 === 0 ? "Error" : "Warning",
      assignee: null,
    };
    const one = { who, node: nodes[n], login, seenAt, location, coaches: [] } as unknown as Member;
    one.issue = { ...issue, note: `${word} Note`, isSnoozed: false, owner: one, at: one, author: one } as Issue;
    const coach = (sensor: string, vehicleId: string) =>
      one.coaches.push({ sensor, vehicleId, line: `L-${word}`, key: `${who.id}_${vehicleId}` });
    coach(toMac(0x0200_0001_0100 + n), `tram-${word}`);
    if (word === "Mill" || word === "Hill") coach(toMac(0x0200_0001_0200 + n), sharedVehicle);
    return one;
  });
  const named = (word: Word): Member => {
    const found = members[words.indexOf(word)];
    if (!found) throw new Error(word);
    return found;
  };
  Object.assign(named("North").issue, { assignee: named("Helper"), author: named("Helper") });
  // Its location, the assignee and the author of its note are hidden from its owner.
  Object.assign(named("Mill").issue, { at: named("North"), assignee: named("Dealer"), author: named("Dealer") });
  Object.assign(named("Hill").issue, { assignee: named("South"), isSnoozed: true });
  Object.assign(named("Quay").issue, { assignee: named("Quay"), isSnoozed: true });
  for (const one of members) {
    const { id, name, tag } = one.location;
    const owner = { owner_id: one.who.id, owner_path: one.who.path };
    await db
      .insertInto("location")
      .values({ ...owner, id, name, tags: [tag] })
      .execute();
    await db.updateTable("account").set({ last_seen_at: one.seenAt }).where("id", "=", one.who.id).execute();
  }
  for (const one of members) await insertSensors(world, one);
  return { world, members, named, stop: () => world.stop() };
}
export type ViewerScene = Awaited<ReturnType<typeof createViewerScene>>;

async function insertSensors(world: World, { who, issue, coaches }: Member): Promise<void> {
  const { db, clock } = world.ctx;
  const now = clock.date();
  const state = { owner_id: who.id, owner_path: who.path, is_connected: true, last_contact_at: now };
  const sensors = [
    { ...state, id: issue.sensor, type: "APS", location_id: issue.at.location.id },
    ...coaches.map(({ sensor, line }) => ({ ...state, id: sensor, type: "ZOD", groups: [`Line ${line}`] })),
  ];
  for (const sensor of sensors) await db.insertInto("sensor").values(sensor).execute();
  for (const { sensor, vehicleId } of coaches) {
    const answer = JSON.stringify({ rev: 1, values: groupValues({ vehicleId }) });
    await sql`insert into sensor_section (sensor_num, section, answer, read_at)
      select num, 'group', ${answer}::jsonb, ${now} from sensor where id = ${sensor}`.execute(db);
    await storeLevel(world, { sensorId: sensor, zones: [{ id: "s1", n: 3 }], pos: null, at: now });
  }
  const [at, ms] = [issue.at.location.id, clock.now()];
  await sql`insert into monitoring_status (id, opened_id, sensor_num, location_id, start_ms, end_ms, issue_type, issue_status, issue_message)
    select ${issue.id}, ${issue.id}, num, ${at}, ${ms}, ${ms}, 'osd', ${issue.status}, '' from sensor where id = ${issue.sensor}`.execute(
    db,
  );
  const until = issue.isSnoozed ? new Date(ms + 3_600_000) : null;
  await sql`insert into sensor_issue (sensor_num, issue_type, issue_status, status_id, opened_id, opened_ms, started_ms, location_id,
      sensor_id, owner_id, owner_path, assignee_id, snoozed_until)
    select num, 'osd', ${issue.status}, ${issue.id}, ${issue.id}, ${ms}, ${ms}, ${at}, id, owner_id, owner_path,
      ${issue.assignee?.login ?? null}, ${until} from sensor where id = ${issue.sensor}`.execute(db);
  const { author, note: text } = issue;
  await db
    .insertInto("issue_note")
    .values({
      id: uuidv7(ms),
      issue_id: issue.id,
      owner_id: who.id,
      at: now,
      account_id: author.who.id,
      credential_id: author.login,
      text,
    })
    .execute();
}

export const viewsAccount = (asker: Member, one: Member) => mayActOnAccount(asker.node, "view", one.node);
/** An account is always shown to itself. */
export const isShown = (asker: Member, one: Member) => asker === one || viewsAccount(asker, one);
export const viewsSensors = (asker: Member, { node }: Member) => mayDo(asker.node, "view", "sensor", node);
export const editsSensors = (asker: Member, { node }: Member) => mayDo(asker.node, "edit", "sensor", node);
export const viewsLocations = (asker: Member, { node }: Member) => mayDo(asker.node, "view", "measurement", node);

/** Ids, names, addresses and texts that must not occur in a response to this asker. Vehicles and sensors show their owner. */
export function hiddenTexts(members: readonly Member[], asker: Member, page: "vehicle" | "other"): string[] {
  return members.flatMap((one) => {
    const { who, login, location, issue, coaches } = one;
    const isOwnerShown = isShown(asker, one) || (page === "vehicle" && viewsSensors(asker, one));
    const fleet = coaches.flatMap(({ sensor, vehicleId, line, key }) => [
      sensor,
      line,
      key,
      ...(vehicleId === sharedVehicle ? [] : [vehicleId]),
    ]);
    return [
      ...(isOwnerShown ? [] : [who.id, who.name]),
      ...(isShown(asker, one) ? [] : [who.email, login]),
      ...(viewsLocations(asker, one) ? [] : [location.id, location.name, location.tag]),
      ...(viewsSensors(asker, one) ? [] : [issue.id, issue.sensor, issue.note, ...fleet]),
    ];
  });
}
