// A ZOD and a PS.C1 with stubbed live views.
import type { CamerasPreview, GpsPreview, OccupancyPreview } from "@psp/contract/section/preview.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { typeSegment } from "@psp/contract/device/sensor-type.ts";
import { applyLiveMessages, queryClient } from "../api/query-client.ts";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../testing/console.tsx";
import { redSquare } from "../testing/picture.ts";
import { ids, viewOnlyPermissions, sensorApiPath, sensorWith, createServerStub } from "../sensor/sensor.testing.ts";

export const connectedSensorFields: Partial<Sensor> = {
  type: "ZOD",
  psconnect: { connectionStatus: "connected", statusChangedAt: "2026-11-20T09:00:00.000Z" },
};
export const takenAt = Date.UTC(2026, 10, 20, 12, 30, 5);

/** Requests to the device in order, each as `method kind` or `method section`. */
export const deviceRequests: string[] = [];
type Question = { id: number; method: string; params: Record<string, string> };
/** Returns the device's response, or a `StubbedResponse` for a response of the server itself. May return a promise. */
export type DeviceStub = (what: string, question: Question) => unknown;

const isAnswer = (value: unknown): value is StubbedResponse =>
  typeof value === "object" && value !== null && "status" in value;

export function stubDeviceRpc(device: DeviceStub): StubbedResponses[string] {
  return async (sent) => {
    const question = sent as Question;
    const what = `${question.method} ${Object.values(question.params).join(" ")}`;
    deviceRequests.push(what);
    const given = await device(what, question);
    if (isAnswer(given)) return given;
    const refused = typeof given === "object" && given !== null && "refused" in given;
    const outcome = refused ? { error: given.refused } : { result: given };
    return { status: 200, body: { jsonrpc: "2.0", id: question.id, ...outcome } };
  };
}

export function openSensor(page: string, device: DeviceStub, facts: Partial<Sensor> = {}) {
  deviceRequests.length = 0;
  const sensor = sensorWith({ ...connectedSensorFields, ...facts });
  return openConsole(
    `/sensor/${typeSegment(sensor.type)}/${ids.sensor}/${page}`,
    createServerStub(sensor, viewOnlyPermissions, { [`POST ${sensorApiPath}/rpc`]: stubDeviceRpc(device) }),
  );
}

export function sendLiveMessage(facts: Partial<Sensor>): void {
  const obj = sensorWith({ ...connectedSensorFields, version: 9, ...facts });
  applyLiveMessages(queryClient, [{ type: "sensor", op: "update", seq: 1, cursor: "c1", obj }]);
}

type Camera = CamerasPreview["cameras"][number];
export async function cameraWith(facts: Partial<Camera> = {}): Promise<Camera> {
  return {
    id: "c1",
    name: "Front",
    state: "ok",
    width: 640,
    height: 480,
    jpeg: await redSquare("image/jpeg"),
    ...facts,
  };
}

/** Two levels, the lower one partly unknown. */
export const partlyKnownOccupancy: OccupancyPreview = {
  at: takenAt,
  coach: { persons: null, capacity: 140 },
  levels: [
    { id: "l1", name: "Lower", persons: null, capacity: 80 },
    { id: "l2", name: "Upper", persons: 45, capacity: 60 },
  ],
  sections: [
    { id: "s1", name: "Entrance", levelId: "l1", persons: 30, capacity: 30, state: "ok" },
    { id: "s2", name: "Bikes", levelId: "l1", persons: null, capacity: 50, state: "unknown" },
    { id: "s3", name: "Saloon", levelId: "l2", persons: 45, capacity: 60, state: "ok" },
  ],
  cameras: [
    { id: "c1", name: "Door", persons: 30, state: "ok" },
    { id: "c2", name: "Rack", persons: null, state: "covered" },
  ],
};

export const gpsWith = (facts: Partial<GpsPreview> = {}): GpsPreview => ({
  at: takenAt,
  fix: "3d",
  lat: 52.520_008,
  lng: 13.404_954,
  accuracyM: 4.6,
  speedMps: 20,
  headingDeg: 184,
  satellites: 9,
  ...facts,
});
