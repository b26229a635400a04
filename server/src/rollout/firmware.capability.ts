// Firmware: the capability that offers an update with the desired state and follows what the device says about it (ADR 0025).
import { jobSchema } from "@psp/contract/sensor/sensor.device.ts";
import { type Capability, topic } from "../device/capability.ts";
import { receiveReports } from "./report.service.ts";
import { assignFirmware, forgetTasks } from "./rollout.service.ts";
import { findDesiredFirmware } from "./desired-firmware.service.ts";
import { noteWithdrawals } from "./rollout.store.ts";

export const firmwareUpdates: Capability = {
  name: "firmware",
  async desired(ctx, w, base, sensorIds) {
    const manifests = await findDesiredFirmware(ctx, w, base, sensorIds);
    return {
      contentOf: (sensorNum) => ({ fw: manifests.get(sensorNum) ?? null }),
      async onNumbered(w, numbered) {
        const without = numbered.filter(({ content }) => content.fw === null);
        await noteWithdrawals(w.tx, without);
      },
    };
  },
  async onEnrol(ctx, w, { sensorId, firmwareId, by }) {
    if (firmwareId !== null) await assignFirmware(ctx, w, { sensorIds: [sensorId], firmwareId, by });
  },
  onForget: forgetTasks,
  start(ctx) {
    const reports = receiveReports(ctx);
    return {
      topics: [topic("job", jobSchema, ({ sensorId }, report) => reports.add({ sensorId, report }))],
      onBirth: (sensorId) => void reports.add({ sensorId, report: null, applied: null }),
      onReported: (sensorId, applied) => reports.add({ sensorId, report: null, applied }),
      stop: reports.stop,
    };
  },
};
