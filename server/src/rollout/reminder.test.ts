// Connected sensors are notified of tasks even if a process stopped before publishing them (FW-03).
import { afterAll, beforeAll, expect, test } from "vitest";
import { write } from "../db/write.ts";
import { createRolloutScene, waitForOffer, type RolloutScene, desiredState } from "./scene.testing.ts";
import { assignFirmware } from "./rollout.service.ts";

let scene: RolloutScene;
beforeAll(async () => {
  scene = await createRolloutScene();
});
afterAll(() => scene.stop());

/** Leaves the same state as a process that was killed between its commit and its event. */
const assignUnnotified = (id: string, firmwareId: string | null) =>
  write(scene.world.ctx, { system: "test" }, (w) =>
    assignFirmware(scene.world.ctx, w, { sensorIds: [id], firmwareId, by: scene.owner.id }),
  );

test("FW-03 an unannounced assignment, withdrawal or replacement reaches the device within minutes", async () => {
  const device = await scene.sensor();
  const [first, second] = [await scene.firmware("1.19.0"), await scene.firmware("1.20.0")];
  await assignUnnotified(device.id, first);
  expect(desiredState(device)?.fw ?? null).toBeNull();
  await scene.pass(200_000);
  const job = await waitForOffer(device, "1.19.0");

  // The withdrawal is sent first; the next task is sent only after the device has applied the withdrawal.
  await assignUnnotified(device.id, second);
  expect(desiredState(device)?.fw?.job).toBe(job);
  await scene.pass(200_000);
  await expect.poll(() => desiredState(device)?.fw ?? null).toBeNull();
  const rev = desiredState(device)?.rev ?? 0;
  await device.up("reported", { rev, applied: rev });
  await waitForOffer(device, "1.20.0");
});
