// Seeds the demo world into an empty database: a dealer, its customers, their locations, and the sensors of the simulated fleet.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toMac } from "@psp/contract/kit/mac.ts";
import { monitoringDefaults } from "@psp/contract/monitoring/limits.ts";
import { hashPassword } from "../credential/hashing.service.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { personas, type PersonaName } from "../db/seed/personas.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { firmwarePublicKey } from "../kit/signing.ts";
import { seal } from "../kit/sealing.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import { generateClaimingCode } from "../device/credential/credential.ts";
import { seedEvents } from "./event.seed.ts";
import { seedFirmware } from "./firmware.seed.ts";
import { type PlacedSensor, seedStory } from "./story.seed.ts";
import { chooseDefaultHours, chooseOwnHours } from "./opening.seed.ts";
import { seedRollout } from "./rollout.seed.ts";
import { seedAuditLog } from "./trail.seed.ts";
import { type SeededAccount, seedAccount, seedReports, seedSignUp } from "./account.seed.ts";
import { chooseLicenseAndApps, seedTrains } from "./occupancy.seed.ts";
import { cafeNumber, cities, companies, type DemoRole, demoRoles, locationNames, streets } from "./world.seed.ts";
import { toJsonb } from "../db/storable.ts";

export type FleetMember = {
  id: string;
  type: string;
  password: string;
  zone: string;
  country: string;
  fw: string;
  kind: "shop" | "station" | "library";
  rest?: string;
  coach?: { vehicle: string; sequence: number };
  faults?: string;
  /** End of the generated past counts, in ms UTC. */
  until?: number;
};

/** Index of Isar Rail. */
const trainCompany = companies.indexOf("Isar Rail");

/** The setting that marks a database whose passwords are publicly known. */
const demoMark = "demo_world";

/** Whether the database contains the demo, whose passwords are public (docs/rules/start-and-configuration.md#demo). */
export async function isDemoDatabase(ctx: Context): Promise<boolean> {
  const mark = await ctx.db.selectFrom("setting").select("name").where("name", "=", demoMark).executeTakeFirst();
  return mark !== undefined;
}

/** Seeds an empty database. Returns the path of the fleet's credentials, or null if there is no simulated fleet. */
export async function seedDemo(ctx: Context): Promise<string | null> {
  const file = join(ctx.config.dataDir, "demo-fleet.json");
  const { n } = await ctx.db
    .selectFrom("account")
    .select((e) => e.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  if (n > 1) {
    const kept = await readFile(file, "utf8").catch(() => null);
    return kept === null || ctx.config.demo.sensors === 0 ? null : file;
  }
  const passwordHash = await hashPassword(ctx, personas.support.password);
  await ctx.db.transaction().execute(async (tx) => {
    await tx.insertInto("setting").values({ name: demoMark, value: "true" }).execute();
    const fleet = {
      fwKey: firmwarePublicKey(ctx.config.secrets.firmware),
      sensors: await seedWorld(ctx, tx, passwordHash),
    };
    // Written before the commit, because a committed fleet without its secrets could never connect.
    await writeFile(file, toJsonb(fleet), { mode: 0o600, flush: true });
  });
  return ctx.config.demo.sensors === 0 ? null : file;
}

async function seedWorld(ctx: Context, tx: Tx, passwordHash: string): Promise<FleetMember[]> {
  const root = await tx.selectFrom("account").selectAll().where("parent_id", "is", null).executeTakeFirstOrThrow();
  const top: SeededAccount = { id: root.id, name: personas.support.account, path: root.path, parentAccounts: [] };
  await tx.updateTable("account").set({ name: top.name }).where("id", "=", top.id).execute();
  const dealer = await seedAccount(ctx, tx, personas.operator.account, top, 0);
  const roleIds = await seedRoles(ctx, tx, top, dealer);
  await tx.updateTable("account").set({ role_id: roleIds.dealer }).where("id", "=", dealer.id).execute();

  const hours = (name: string, where: number) =>
    chooseDefaultHours(ctx.clock.now(), kindOf(name), cities[where % cities.length] ?? cities[0]);
  const harbour = await seedAccount(
    ctx,
    tx,
    personas.customer.account,
    dealer,
    1,
    roleIds.customer,
    hours(personas.customer.account, 1),
  );
  const oldTown = await seedAccount(ctx, tx, personas.customerChild.account, harbour, 1, roleIds.branch);
  const station = await seedAccount(ctx, tx, "Harbour Stores Central Station", harbour, 0, roleIds.branch);
  const audit = await seedAccount(ctx, tx, personas.readonly.account, harbour, 1, roleIds.viewer);
  const library = await seedAccount(ctx, tx, personas.noLicense.account, dealer, 3, roleIds.customer);
  const others: SeededAccount[] = [];
  for (const [index, name] of companies.entries())
    others.push(await seedAccount(ctx, tx, name, dealer, index, roleIds.customer, hours(name, index)));

  await seedSignUp(ctx, tx, top);
  const logins: [PersonaName, SeededAccount][] = [
    ["support", top],
    ["operator", dealer],
    ["customer", harbour],
    ["customerChild", oldTown],
    ["readonly", audit],
    ["noLicense", library],
  ];
  await tx
    .insertInto("credential")
    .values(
      logins.map(([persona, { id }]) => ({
        id: uuidv7(ctx.clock.now()),
        account_id: id,
        email: personas[persona].email,
        password_hash: passwordHash,
        step: 2,
        position: 1,
      })),
    )
    .execute();
  const firmware = await seedFirmware(ctx, tx, top);
  for (const owner of [harbour, library]) await seedInitToken(ctx, tx, owner);
  await seedReports(ctx, tx, harbour, personas.customer.email);
  const owners = [harbour, harbour, oldTown, oldTown, station, library, ...others];
  const fleet = await seedStory(ctx, tx, await seedSensors(ctx, tx, owners, library, firmware));
  const coaches = await seedTrains(ctx, tx, others[trainCompany] ?? dealer, firmware);
  await seedRollout(ctx, tx, fleet, harbour);
  await seedEvents(ctx, tx, harbour);
  await seedAuditLog(tx);
  return [...fleet, ...coaches];
}

async function seedRoles(
  ctx: Context,
  tx: Tx,
  top: SeededAccount,
  dealer: SeededAccount,
): Promise<Record<DemoRole, string>> {
  const ids = {} as Record<DemoRole, string>;
  for (const key of Object.keys(demoRoles) as DemoRole[]) {
    const { name, permissions } = demoRoles[key];
    const owner = key === "dealer" ? top : dealer;
    ids[key] = uuidv7(ctx.clock.now());
    await tx
      .insertInto("role")
      .values({
        id: ids[key],
        owner_id: owner.id,
        owner_path: owner.path,
        name,
        permissions: toJsonb(permissions),
      })
      .execute();
  }
  return ids;
}

async function seedInitToken(ctx: Context, tx: Tx, owner: SeededAccount): Promise<void> {
  const id = uuidv7(ctx.clock.now());
  const token = `psi_${randomToken()}`;
  await tx
    .insertInto("init_token")
    .values({
      id,
      owner_id: owner.id,
      owner_path: owner.path,
      name: `${owner.name} roll-in`,
      token_hash: hashToken(token),
      token_sealed: seal(ctx.config, `init-token:${id}`, token),
    })
    .execute();
}

async function seedSensors(
  ctx: Context,
  tx: Tx,
  owners: SeededAccount[],
  unlicensed: SeededAccount,
  firmware: { id: string; type: string; name: string }[],
): Promise<PlacedSensor[]> {
  const fleet: PlacedSensor[] = [];
  const since = new Date(ctx.clock.now() - 30 * 86_400_000);
  const perLocation = 4;
  for (let from = 0; from < ctx.config.demo.sensors; from += perLocation) {
    const number = from / perLocation;
    const owner = owners[number % owners.length] ?? unlicensed;
    const place = cities[(number * 5) % cities.length] ?? cities[0];
    const locationId = await seedLocation(ctx, tx, owner, number);
    for (let index = from; index < Math.min(from + perLocation, ctx.config.demo.sensors); index += 1) {
      const type = index % 10 < 6 ? "APS" : index % 10 < 9 ? "PS.C1" : "ZOD";
      const versions = firmware.filter((one) => one.type === type);
      const running = versions[index % versions.length];
      const id = toMac(0x001e_c010_0000 + index);
      const password = randomToken();
      // Sensors with a REST password are older models, which are updated through their REST interface. They come late in the fleet, so
      // that the first rollout uses newer models.
      const rest = type === "APS" && index >= 150 && index % 10 === 4 ? randomToken() : null;
      const { num } = await tx
        .insertInto("sensor")
        .values({
          id,
          owner_id: owner.id,
          owner_path: owner.path,
          type,
          location_id: index % 23 === 22 ? null : locationId,
          firmware_id: running?.id ?? null,
          claiming_code: generateClaimingCode(),
          groups: index % 3 === 0 ? ["entrance"] : [],
          license_monitoring: owner.id !== unlicensed.id,
          ...(rest !== null && {
            rest_username: "user-role-edit",
            rest_password_sealed: seal(ctx.config, `sensor-rest:${id}`, rest),
          }),
        })
        .returning("num")
        .executeTakeFirstOrThrow();
      await tx
        .insertInto("device")
        .values({ sensor_num: num, secret_hash: hashToken(password), enrolled_at: since })
        .execute();
      if (index % 23 !== 22) {
        await tx
          .insertInto("sensor_location")
          .values({ sensor_num: num, from_at: since, location_id: locationId, counts_from: "-infinity" })
          .execute();
      }
      const fw = running?.name ?? "1.0.0";
      const { zone, country } = place;
      const member = { id, type, password, zone, country, fw, kind: kindOf(owner.name) };
      fleet.push({
        member: rest === null ? member : { ...member, rest },
        location: number,
        isPersonas: number % owners.length < owners.length - companies.length,
        isPlaced: index % 23 !== 22,
      });
    }
  }
  return fleet;
}

async function seedLocation(ctx: Context, tx: Tx, owner: SeededAccount, number: number): Promise<string> {
  const place = cities[(number * 5) % cities.length] ?? cities[0];
  const id = uuidv7(ctx.clock.now());
  const street = `${streets[number % streets.length]} ${1 + (number % 90)}`;
  await tx
    .insertInto("location")
    .values({
      id,
      owner_id: owner.id,
      owner_path: owner.path,
      name: `${owner.name}, ${locationNames[number % locationNames.length]}`,
      // Spread over a few kilometers, so that a map shows several points.
      lat: place.lat + ((number % 7) - 3) * 0.008,
      lng: place.lng + ((number % 5) - 2) * 0.011,
      timezone: place.zone,
      country: place.country,
      address: toJsonb({
        street,
        city: place.city,
        zip: place.zip,
        country: place.country,
        formatted: `${street}, ${place.zip} ${place.city}, ${place.country}`,
      }),
      tags: [...(number % 4 === 0 ? ["flagship"] : []), number === cafeNumber ? "café" : kindOf(owner.name)],
      ...chooseOwnHours(ctx.clock.now(), number, kindOf(owner.name), place),
      ...chooseLicenseAndApps(number, ctx.config.demo.sensors),
      monitoring_config: toJsonb(monitoringDefaults),
    })
    .execute();
  return id;
}

function kindOf(owner: string): FleetMember["kind"] {
  if (/librar/i.test(owner)) return "library";
  return /rail|station|airport/i.test(owner) ? "station" : "shop";
}
