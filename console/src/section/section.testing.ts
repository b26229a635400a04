// Stub of a ZOD or PS.C1 that responds to JSON-RPC and stores sections.
import { sectionsOf } from "@psp/contract/section/sections.ts";
import { requireSection } from "@psp/contract/section/section.testing.ts";
import type { Section, Values } from "@psp/contract/section/field.ts";
import type { ServedSection } from "@psp/contract/section/wire.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { typeSegment } from "@psp/contract/device/sensor-type.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { expect } from "vitest";
import { type Locator, page } from "vitest/browser";
import { applyLiveMessages, queryClient } from "../api/query-client.ts";
import { type StubbedResponse, openConsole } from "../testing/console.tsx";
import { openSelect } from "../testing/select.ts";
import { allPermissions, ids, sensorApiPath, sensorWith, createServerStub } from "../sensor/sensor.testing.ts";
import { toStoredValues } from "./section.values.ts";

type Type = "ZOD" | "PS.C1";
type Question = { method: string; params: Record<string, unknown> };

const rpcAddress = `POST ${sensorApiPath}/rpc`;
export const connectedState: Sensor["psconnect"] = { connectionStatus: "connected", statusChangedAt: null };
export const disconnectedState: Sensor["psconnect"] = { connectionStatus: "disconnected", statusChangedAt: null };

const readAt = new Date(2026, 10, 20, 12, 5);

export const servedSection = (values: Values, facts: Partial<ServedSection> = {}): ServedSection => ({
  rev: 3,
  values,
  source: "device",
  at: readAt.toISOString(),
  ...facts,
});

const result = (value: unknown): StubbedResponse => ({ status: 200, body: { jsonrpc: "2.0", id: 1, result: value } });
export const refusalResponse = (
  code: number,
  message = "No.",
  fields?: { path: string; message: string }[],
): StubbedResponse => ({
  status: 200,
  body: { jsonrpc: "2.0", id: 1, error: { code, message, ...(fields && { data: { fields } }) } },
});
export const failureResponse = (
  status: number,
  code: number,
  error: string,
  details: Record<string, unknown> = {},
): StubbedResponse => ({
  status,
  body: { code, error, details },
});

/** A device with these sections. Requests for other sections fail as unreachable. */
export function createDeviceStub(has: Record<string, ServedSection>) {
  const device = {
    has,
    sent: [] as unknown[],
    asked: [] as string[],
    refusals: [] as StubbedResponse[],
    applied: "now" as "now" | "restart" | "confirm",
    answer(body: unknown): StubbedResponse {
      const { method, params } = body as Question;
      device.asked.push(method);
      const key = String(params["section"]);
      const known = device.has[key];
      if (method === "config.get")
        return known === undefined ? failureResponse(502, 509, "Com-link error (sensor)") : result(known);
      if (method === "preview.get") return result({ at: readAt.getTime(), cameras: [] });
      if (method === "device.restart") return device.refusals.shift() ?? result({ backInS: 10 });
      device.sent.push(params);
      const refused = device.refusals.shift();
      if (refused !== undefined || known === undefined) return refused ?? refusalResponse(-32_602);
      const rev = known.rev + 1;
      const { applied } = device;
      device.has[key] = {
        ...known,
        rev,
        values: toStoredValues(device.sectionOf(key), params["values"] as Values, known.values),
        ...(applied === "restart" && { restartNeeded: true }),
        ...(applied === "confirm" && { pending: { rev, until: Date.now() + 60_000 } }),
      };
      return result({ rev, applied, ...(applied === "confirm" && { confirmWithinS: 60 }) });
    },
    sectionOf: (key: string): Section =>
      [...sectionsOf.ZOD, ...sectionsOf["PS.C1"]].find((one) => one.key === key) ?? requireSection("ZOD", key),
  };
  return device;
}

type Facts = Partial<Sensor> & { permissions?: Permissions };

export async function openSection(
  type: Type,
  key: string,
  device: ReturnType<typeof createDeviceStub>,
  { permissions = allPermissions, ...facts }: Facts = {},
) {
  const sensor = sensorWith({ type, psconnect: connectedState, ...facts });
  const opened = await openConsole(
    `/sensor/${typeSegment(type)}/${ids.sensor}/${requireSection(type, key).segment}`,
    createServerStub(sensor, permissions, { [rpcAddress]: (body) => device.answer(body) }),
  );
  await expect.element(page.getByRole("heading", { level: 1, name: ids.sensor })).toBeVisible();
  return { ...opened, sensor };
}

export function sendLiveMessage(sensor: Sensor, facts: Partial<Sensor>) {
  const obj = { ...sensor, version: sensor.version + 1, ...facts };
  applyLiveMessages(queryClient, [{ type: "sensor", op: "update", obj, seq: 1, cursor: "c1" }]);
}

export const button = (name: string, within: Pick<Locator, "getByRole"> = page) =>
  within.getByRole("button", { name, exact: true });
export const clickSave = () => button("Save").click();
export const group = (name: string) => page.getByRole("group", { name, exact: true });
export const box = (name: string, within: Pick<Locator, "getByRole"> = page) =>
  within.getByRole("textbox", { name, exact: true });
export const choice = (name: string, within: Pick<Locator, "getByRole"> = page) =>
  within.getByRole("combobox", { name, exact: true });
export const toggle = (name: string, within: Pick<Locator, "getByRole"> = page) =>
  within.getByRole("switch", { name, exact: true });
export const secret = (name: string, within: Pick<Locator, "getByLabelText"> = page) =>
  within.getByLabelText(name, { exact: true });

export async function choose(field: Locator, option: string) {
  await openSelect(field);
  await page.getByRole("option", { name: option, exact: true }).click();
}
