// Tests the steps after a restore on a database that was restored by other means.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noteErased, readErased } from "../kit/backup/erased-ids.ts";
import { dropHeldMails, lockDueMails, releaseHeldMails } from "../mail/mail.store.ts";
import { queueMail } from "../mail/outbox.ts";
import { write } from "../db/write.ts";
import { readStoredTexts } from "../testing/snapshot.ts";
import { enrolSensor, requestInitToken } from "../testing/devices/remote-sensor.ts";
import { createWorld, type World } from "../testing/world.ts";
import { finishExternalRestore, finishRestore } from "./after-restore.service.ts";

let world: World;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "psp-after-"));
  world = await createWorld({ env: { BACKUP_DIR: folder } });
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true, force: true });
});

const dueMails = () => world.ctx.db.transaction().execute((tx) => lockDueMails(tx, world.ctx.clock.date(), 10));
const queue = () =>
  write(world.ctx, { system: "test" }, (w) =>
    queueMail(world.ctx, w, { to: "a@example.com", subject: "s", text: "t", html: "h" }),
  );

test("the steps after a restore refuse a database that the product uses", async () => {
  await expect(finishExternalRestore(world.ctx.config, [])).rejects.toThrow(
    /connections of PS.Platform use the database/,
  );
});

test("passwords of devices are noted as restored, so that the server recognizes newer ones", async () => {
  const token = await requestInitToken(world, world.root);
  const { sensorId } = await enrolSensor(world.server.url, { token, id: "02:0C:1A:2A:03:01" });
  await finishRestore(world.ctx.config, world.databaseUrl, []);
  const { restored_to, newest } = await world.ctx.db
    .selectFrom("device")
    .innerJoin("sensor", "sensor.num", "device.sensor_num")
    .where("sensor.id", "=", sensorId)
    .select([
      "restored_to",
      (e) =>
        e
          .selectFrom("audit")
          .select((a) => a.fn.max("at").as("at"))
          .as("newest"),
    ])
    .executeTakeFirstOrThrow();
  expect(restored_to).toEqual(newest);
});

test("mails that were queued wait until an operator sends or deletes them", async () => {
  await queue();
  expect(await finishRestore(world.ctx.config, world.databaseUrl, [])).toMatchObject({ heldMails: 1 });
  await queue();
  expect(await dueMails()).toHaveLength(1);
  expect(await releaseHeldMails(world.ctx.db)).toBe(1);
  expect(await dueMails()).toHaveLength(2);
  expect(await finishRestore(world.ctx.config, world.databaseUrl, [])).toMatchObject({ heldMails: 2 });
  expect(await dropHeldMails(world.ctx.db)).toBe(2);
  expect(await releaseHeldMails(world.ctx.db)).toBe(0);
  expect(await dueMails()).toEqual([]);
});

test("every restore raises the number of the installation, however quick they follow", async () => {
  const first = await finishRestore(world.ctx.config, world.databaseUrl, []);
  const second = await finishRestore(world.ctx.config, world.databaseUrl, []);
  expect(second.installation).toBeGreaterThan(first.installation);
});

test("AC-12 accounts and logins that were erased after the backup are erased again", async () => {
  const [gone, kept] = [
    await world.account("Byron Works", world.root, fullPermissions),
    await world.account("Harbour Works", world.root, fullPermissions),
  ];
  await noteErased(folder, { type: "account", id: gone.id, at: new Date().toISOString() });
  expect(await finishRestore(world.ctx.config, world.databaseUrl, await readErased(folder))).toMatchObject({
    erased: 2,
  });
  const { account, credential } = await readStoredTexts(world.ctx.db);
  const texts = `${account} ${credential}`;
  expect(texts).not.toContain("Byron Works");
  expect(texts).toContain("Deleted account");
  expect(texts).not.toContain(gone.email);
  expect(texts).toContain(kept.email);
  expect(await finishRestore(world.ctx.config, world.databaseUrl, await readErased(folder))).toMatchObject({
    erased: 0,
  });
});
