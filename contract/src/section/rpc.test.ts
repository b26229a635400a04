// Tests which RPC requests are forwarded or rejected, and which responses are valid.
import { describe, expect, test } from "vitest";
import type { SensorType } from "../device/sensor-type.ts";
import { validateRpc, toRpcParams, rpcResponseSchema, rpcBodySchema, type RpcCall, rpcResultSchema } from "./rpc.ts";
import { validValues, requireSection, withChanges } from "./section.testing.ts";

const ask = (method: unknown, params: unknown, more: object = {}) => ({
  jsonrpc: "2.0",
  id: 7,
  method,
  params,
  ...more,
});
const gps = validValues("ZOD", "gps");
const camera = validValues("ZOD", "camera");

describe("SE-06 SE-07 a question that may go to the device arrives as it was asked", () => {
  test.each<[SensorType, string, Record<string, unknown>]>([
    ["ZOD", "config.get", { section: "gps" }],
    ["ZOD", "config.set", { section: "gps", values: gps, rev: 3 }],
    ["ZOD", "device.restart", {}],
    ["ZOD", "preview.get", { kind: "cameras" }],
    ["ZOD", "preview.get", { kind: "cameras", camera: "c2" }],
    ["ZOD", "preview.get", { kind: "occupancy" }],
    ["ZOD", "preview.get", { kind: "gps" }],
    ["PS.C1", "config.get", { section: "network" }],
    ["PS.C1", "device.restart", {}],
    ["PS.C1", "preview.get", { kind: "cameras" }],
  ])("%s %s %j", (type, method, params) => {
    const { call, fault } = validateRpc(type, ask(method, params));
    expect(fault).toBeUndefined();
    expect([call?.method, call && toRpcParams(call)]).toEqual([method, params]);
  });

  test("texts go on trimmed and composed, secrets as they are", () => {
    const values = {
      endpoints: [
        { id: "e1", name: " Cafe\u0301 ", enabled: true, url: "https://a", username: " u ", password: " p\u0301 " },
      ],
    };
    const { call } = validateRpc("PS.C1", ask("config.set", { section: "dataendpoint", values, rev: 1 }));
    expect(call && toRpcParams(call)["values"]).toEqual({
      endpoints: [{ id: "e1", name: "Café", enabled: true, url: "https://a", username: "u", password: " p\u0301 " }],
    });
  });
});

const set = (values: unknown, rev: unknown = 1, section: unknown = "gps") =>
  ask("config.set", { section, values, rev });

describe("SE-06 SE-07 ER-03 a question that goes nowhere", () => {
  test.each<[string, SensorType, unknown, number, string]>([
    ["a batch", "ZOD", [ask("config.get", { section: "gps" })], 102, ""],
    ["an empty batch", "ZOD", [], 102, ""],
    ["no object", "ZOD", "config.get", 402, ""],
    ["nothing", "ZOD", undefined, 104, ""],
    ["no version", "ZOD", { id: 1, method: "device.restart", params: {} }, 104, "jsonrpc"],
    ["another version", "ZOD", ask("device.restart", {}, { jsonrpc: "1.0" }), 102, "jsonrpc"],
    ["no id", "ZOD", ask("device.restart", {}, { id: undefined }), 104, "id"],
    ["a text as id", "ZOD", ask("device.restart", {}, { id: "7" }), 402, "id"],
    ["no id at all, as of a notification", "ZOD", ask("device.restart", {}, { id: null }), 402, "id"],
    ["a fraction as id", "ZOD", ask("device.restart", {}, { id: 1.5 }), 102, "id"],
    ["an id that is too large", "ZOD", ask("device.restart", {}, { id: 1e9 }), 102, "id"],
    ["a negative id", "ZOD", ask("device.restart", {}, { id: -1 }), 102, "id"],
    ["the server's own method", "ZOD", ask("config.confirm", { rev: 1 }), 102, "method"],
    ["an unknown method", "ZOD", ask("device.erase", {}), 102, "method"],
    ["a method of every object", "ZOD", ask("toString", {}), 102, "method"],
    ["no method", "ZOD", ask(undefined, {}), 104, "method"],
    ["no params", "ZOD", ask("device.restart", undefined), 104, "params"],
    ["a list of params", "ZOD", ask("config.get", ["gps"]), 402, "params"],
    ["a field that is not JSON-RPC's", "ZOD", ask("device.restart", {}, { token: 1 }), 402, "token"],
    ["params of another method", "ZOD", ask("config.get", { section: "gps", rev: 1 }), 402, "params.rev"],
    ["params where there are none", "ZOD", ask("device.restart", { force: true }), 402, "params.force"],
    [
      "__proto__ as params",
      "ZOD",
      JSON.parse('{"jsonrpc":"2.0","id":1,"method":"device.restart","params":{"__proto__":1}}'),
      402,
      "params.__proto__",
    ],
    ["no section", "ZOD", ask("config.get", {}), 104, "params.section"],
    ["a number as section", "ZOD", ask("config.get", { section: 7 }), 402, "params.section"],
    ["an unknown section", "ZOD", ask("config.get", { section: "wifi" }), 102, "params.section"],
    ["a property as section", "ZOD", ask("config.get", { section: "length" }), 102, "params.section"],
    ["a section of another type", "ZOD", ask("config.get", { section: "network" }), 102, "params.section"],
    [
      "a section of another type, the other way around",
      "PS.C1",
      ask("config.get", { section: "psp" }),
      102,
      "params.section",
    ],
    ["a section of an APS", "APS", ask("config.get", { section: "camera" }), 102, "params.section"],
    ["the restart of an APS", "APS", ask("device.restart", {}), 102, "method"],
    ["a preview of an APS", "APS", ask("preview.get", { kind: "cameras" }), 102, "params.kind"],
    ["an unknown kind", "ZOD", ask("preview.get", { kind: "sound" }), 102, "params.kind"],
    ["a kind of another type", "PS.C1", ask("preview.get", { kind: "occupancy" }), 102, "params.kind"],
    ["a kind of another type", "PS.C1", ask("preview.get", { kind: "gps" }), 102, "params.kind"],
    ["a camera of what has none", "ZOD", ask("preview.get", { kind: "gps", camera: "c1" }), 102, "params.camera"],
    ["an empty camera", "ZOD", ask("preview.get", { kind: "cameras", camera: "" }), 102, "params.camera"],
    ["no values", "ZOD", set(undefined), 104, "params.values"],
    ["a list of values", "ZOD", set([]), 402, "params.values"],
    ["no revision", "ZOD", ask("config.set", { section: "gps", values: gps }), 104, "params.rev"],
    ["a text as revision", "ZOD", set(gps, "1"), 402, "params.rev"],
    ["a negative revision", "ZOD", set(gps, -1), 102, "params.rev"],
    ["values of another section", "ZOD", set(camera), 104, "params.values.enabled"],
    [
      "a name that is missing",
      "ZOD",
      set({ ...camera, cameras: [{ id: "c1" }] }, 1, "camera"),
      104,
      "params.values.cameras.0.name",
    ],
    ["params that are too deep", "ZOD", set(JSON.parse(`${"[".repeat(20)}${"]".repeat(20)}`)), 102, "params"],
    ["params that are too many", "ZOD", set(Array(5000).fill(0)), 102, "params"],
    ["params that are too long", "ZOD", set({ ...gps, source: "x".repeat(5000) }), 102, "params"],
  ])("%s (%s)", (_, type, body, code, field) => {
    const { call, fault } = validateRpc(type, body);
    expect(call).toBeUndefined();
    expect(fault).toMatchObject({ code, field });
    expect(fault).not.toHaveProperty("fields");
  });

  test("invalid values return 102 with a message per field", () => {
    const { fault } = validateRpc("ZOD", set({ ...gps, intervalS: 0, minMoveM: null }));
    const first = { path: "intervalS", message: "Every (s) must be a whole number between 1 and 300." };
    expect(fault).toEqual({
      code: 102,
      field: "params.values.intervalS",
      message: first.message,
      fields: [first, { path: "minMoveM", message: "Only when moved (m) is required." }],
    });
  });

  test("a text beyond every bound gets the sentence of its field, too", () => {
    const values = withChanges(camera, { "cameras.0.name": "x".repeat(1000) });
    const { fault } = validateRpc("ZOD", set(values, 1, "camera"));
    expect(fault?.fields).toEqual([{ path: "cameras.0.name", message: "Name may have at most 40 characters." }]);
  });

  test("what is stored decides, too: cameras of the device, sections of the group, passwords that are kept", () => {
    const moved = withChanges(camera, { "cameras.0.sectionId": "s7" });
    const paths = (stored: Record<string, unknown>) =>
      validateRpc("ZOD", set(moved, 1, "camera"), stored).fault?.fields?.map(({ path }) => path);
    expect(paths({})).toBeUndefined();
    expect(paths({ group: validValues("ZOD", "group") })).toEqual(["cameras.0.sectionId"]);
    expect(paths({ camera: { cameras: [{ id: "c9" }] } })).toEqual(["cameras", "cameras.0.id"]);
  });
});

test("a field that does not apply may hold anything of its type, within bounds", () => {
  const network = withChanges(validValues("PS.C1", "network"), { mode: "dhcp", address: "nowhere", prefix: null });
  const judge = (values: unknown) => validateRpc("PS.C1", ask("config.set", { section: "network", values, rev: 1 }));
  expect(judge(network).call).toMatchObject({ values: { address: "nowhere", prefix: null } });
  expect(judge({ ...network, address: "x".repeat(1000) }).fault).toMatchObject({
    code: 102,
    field: "params.values.address",
  });
  expect(judge({ ...network, address: 7 }).fault).toMatchObject({ code: 402 });
});

test("the body's own schema refuses what is no single question, and leaves the rest to the judge", () => {
  expect(rpcBodySchema.safeParse(ask("config.get", { section: "wifi" })).success).toBe(true);
  expect(rpcBodySchema.safeParse(ask("config.confirm", {})).success).toBe(false);
  expect(rpcBodySchema.safeParse([]).success).toBe(false);
});

describe("SE-06 SE-07 answers of a device", () => {
  const base = { jsonrpc: "2.0", id: 7 };
  test.each<[string, unknown, boolean]>([
    ["a result", { ...base, result: { rev: 1 } }, true],
    ["a result that is null", { ...base, result: null }, true],
    ["an error", { ...base, error: { code: -32001, message: "busy" } }, true],
    ["an unknown field", { ...base, result: 1, took: 7 }, true],
    ["both", { ...base, result: 1, error: { code: 1, message: "x" } }, false],
    ["neither", base, false],
    ["no version", { id: 7, result: 1 }, false],
    ["no id", { jsonrpc: "2.0", result: 1 }, false],
    ["an error without a code", { ...base, error: { message: "x" } }, false],
    ["a code that is a text", { ...base, error: { code: "busy", message: "x" } }, false],
    ["a sentence that is a novel", { ...base, error: { code: 1, message: "x".repeat(10_000) } }, true],
    ["more that is no object", { ...base, error: { code: 1, message: "x", data: "more" } }, true],
    ["a list", [{ ...base, result: 1 }], false],
  ])("%s", (_, answer, right) => {
    expect(rpcResponseSchema.safeParse(answer).success).toBe(right);
  });

  test("sentences of a device are cut to 200 characters and stay well-formed", () => {
    const message = `${"x".repeat(199)}😀 and more`;
    const answer = { ...base, error: { code: -32602, message, data: { fields: [{ path: "a", message }], more: 1 } } };
    const { error } = rpcResponseSchema.parse(answer);
    const cut = `${"x".repeat(199)}\ufffd`;
    expect(error).toEqual({ code: -32602, message: cut, data: { fields: [{ path: "a", message: cut }] } });
  });

  test("an error stays readable, however much the device adds to it", () => {
    const fields = [
      { path: "p".repeat(300), message: "m".repeat(3_000) },
      { path: 7 },
      ...Array(200).fill({ path: "a", message: "b" }),
    ];
    const { error } = rpcResponseSchema.parse({
      ...base,
      error: { code: -32602, message: `a${"\u0301".repeat(3_000)}`, data: { fields } },
    });
    expect(error?.message).toBe(`a${"\u0301".repeat(30)}`);
    expect(error?.data?.fields?.[0]).toEqual({ path: "p".repeat(200), message: "m".repeat(200) });
    expect(error?.data?.fields).toHaveLength(99);
  });

  const results: [string, RpcCall, unknown, boolean][] = [
    [
      "set now",
      { method: "config.set", section: requireSection("ZOD", "gps"), values: gps, rev: 1 },
      { rev: 2, applied: "now" },
      true,
    ],
    [
      "set, to be confirmed",
      { method: "config.set", section: requireSection("ZOD", "gps"), values: gps, rev: 1 },
      { rev: 2, applied: "confirm", confirmWithinS: 60 },
      true,
    ],
    [
      "set somehow",
      { method: "config.set", section: requireSection("ZOD", "gps"), values: gps, rev: 1 },
      { rev: 2, applied: "later" },
      false,
    ],
    [
      "set without a revision",
      { method: "config.set", section: requireSection("ZOD", "gps"), values: gps, rev: 1 },
      { applied: "now" },
      false,
    ],
    ["a restart", { method: "device.restart" }, { backInS: 10 }, true],
    ["a restart without an end", { method: "device.restart" }, { backInS: -1 }, false],
    ["a section", { method: "config.get", section: requireSection("ZOD", "gps") }, { rev: 1, values: gps }, true],
    [
      "another section",
      { method: "config.get", section: requireSection("ZOD", "gps") },
      { rev: 1, values: camera },
      false,
    ],
    ["a preview", { method: "preview.get", kind: "cameras" }, { at: 1, cameras: [] }, true],
    ["another preview", { method: "preview.get", kind: "gps" }, { at: 1, cameras: [] }, false],
  ];
  test.each(results)("%s", (_, call, result, right) => {
    expect(rpcResultSchema(call).safeParse(result).success).toBe(right);
  });
});
