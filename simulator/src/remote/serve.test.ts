// Tests which user may call which /rpc methods, and invalid requests.
import { expect, test } from "vitest";
import { noResponse } from "../faults/faults.ts";
import { requestThrough, methodsOf, openReachableSensor } from "../testing/tunnel.ts";

const question = (method: string, params?: unknown, more: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params,
  ...more,
});
const viewer = { "x-psconnect-user": "user-role-view" };

test("an answer carries the question's id, and either a result or an error", async () => {
  const { cloud } = await openReachableSensor({ type: "ZOD" });
  for (const id of [0, 7, "a-b", null]) {
    const { status, json } = await requestThrough(cloud, "POST", "/rpc?x=1", {
      body: question("config.get", { section: "gps" }, { id }),
    });
    expect(status).toBe(200);
    expect(json).toEqual({ jsonrpc: "2.0", id, result: expect.objectContaining({ rev: 1 }) as object });
  }
  const { json } = await requestThrough(cloud, "POST", "/rpc", { body: question("disk.format", {}, { id: 9 }) });
  expect(json).toEqual({ jsonrpc: "2.0", id: 9, error: { code: -32601, message: "There is no method disk.format." } });
});

test.each([
  ["nothing", "", -32700],
  ["no JSON", "{", -32700],
  ["a word", '"hello"', -32600],
  ["a batch", JSON.stringify([question("config.get", { section: "gps" })]), -32600],
  ["no version", JSON.stringify({ id: 1, method: "config.get" }), -32600],
  ["no id", JSON.stringify({ jsonrpc: "2.0", method: "config.get" }), -32600],
  ["an id that is a list", JSON.stringify(question("config.get", {}, { id: [1] })), -32600],
  ["an endless id", JSON.stringify(question("config.get", {}, { id: "x".repeat(65) })), -32600],
  ["a method that is a number", JSON.stringify({ jsonrpc: "2.0", id: 1, method: 5 }), -32600],
  ["params in a list", JSON.stringify(question("config.get", ["gps"])), -32600],
  ["a method of objects", JSON.stringify(question("constructor", {})), -32601],
  ["no section", JSON.stringify(question("config.get", {})), -32602],
  ["one param too many", JSON.stringify(question("config.get", { section: "gps", more: 1 })), -32602],
  ["a section that is a number", JSON.stringify(question("config.get", { section: 5 })), -32602],
  ["no revision", JSON.stringify(question("config.set", { section: "gps", values: {} })), -32602],
  ["half a revision", JSON.stringify(question("config.set", { section: "gps", values: {}, rev: 1.5 })), -32602],
  ["no values", JSON.stringify(question("config.set", { section: "gps", rev: 1 })), -32602],
  ["values in a list", JSON.stringify(question("config.set", { section: "gps", values: [], rev: 1 })), -32602],
  [
    "a prototype",
    '{"jsonrpc":"2.0","id":1,"method":"config.set","params":{"section":"gps","rev":1,"values":{"__proto__":{"enabled":true}}}}',
    -32602,
  ],
  ["half a million brackets", "[".repeat(500_000) + "]".repeat(500_000), -32600],
  [
    "deep values",
    `{"jsonrpc":"2.0","id":1,"method":"config.set","params":{"section":"group","rev":1,"values":{"coach":${"[".repeat(200_000)}${"]".repeat(200_000)}}}}`,
    -32602,
  ],
  ["a restart with options", JSON.stringify(question("device.restart", { force: true })), -32602],
  ["a preview of nothing", JSON.stringify(question("preview.get", {})), -32602],
])("%s is answered with an error, and the sensor goes on", async (_, body, code) => {
  const made = await openReachableSensor({ type: "ZOD" });
  const { status, json, text } = await requestThrough(made.cloud, "POST", "/rpc", { body });
  expect(status).toBe(200);
  expect(json).toMatchObject({ jsonrpc: "2.0", error: { code, message: expect.any(String) as string } });
  expect(text.length).toBeLessThan(20_000);
  expect((await methodsOf(made).get("gps")).rev).toBe(1);
  expect(made.sensor.sections.held).toEqual({});
});

test("a hundred thousand unknown or wrong fields are answered briefly", async () => {
  const made = await openReachableSensor({ type: "ZOD" });
  const keys = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, n]));
  const cameras = Array.from({ length: 100_000 }, () => 1);
  for (const values of [keys, { cameras }]) {
    const { text, json } = await requestThrough(made.cloud, "POST", "/rpc", {
      body: question("config.set", { section: "camera", values, rev: 1 }),
    });
    expect(json).toMatchObject({ error: { code: -32602 } });
    expect(text.length).toBeLessThan(20_000);
  }
});

test("a question of a mebibyte is read, a longer one is not", async () => {
  const { cloud } = await openReachableSensor({ type: "ZOD" });
  const body = (bytes: number): string => {
    const text = JSON.stringify(question("config.get", { section: "gps" }));
    return text + " ".repeat(bytes - text.length);
  };
  expect((await requestThrough(cloud, "POST", "/rpc", { body: body(1024 * 1024) })).status).toBe(200);
  expect((await requestThrough(cloud, "POST", "/rpc", { body: body(1024 * 1024 + 1) })).status).toBe(413);
});

test("who may only view gets values and previews, and 403 for everything else", async () => {
  const { cloud } = await openReachableSensor({ type: "ZOD" });
  const statusOf = async (method: string, params: object, headers: Record<string, string>) =>
    (await requestThrough(cloud, "POST", "/rpc", { body: question(method, params), headers })).status;
  for (const [method, params] of [
    ["config.get", { section: "gps" }],
    ["preview.get", { kind: "gps" }],
  ] as const)
    expect(await statusOf(method, params, viewer), method).toBe(200);
  for (const method of ["config.set", "config.confirm", "device.restart", "disk.format"])
    expect(await statusOf(method, { rev: 1 }, viewer), method).toBe(403);
  expect(await statusOf("config.confirm", { rev: 1 }, { "x-psconnect-user": "user-role-edit" })).toBe(200);
});

test("only POST is answered; an APS has no sections; other paths are those of the REST interface", async () => {
  const { cloud } = await openReachableSensor({ type: "PS.C1" });
  expect((await requestThrough(cloud, "GET", "/rpc")).status).toBe(405);
  expect((await requestThrough(cloud, "POST", "/auth", { body: {} })).status).toBe(404);
  const aps = await openReachableSensor({ type: "APS", rest: "harbour-lantern-9" });
  const { status } = await requestThrough(aps.cloud, "POST", "/rpc", {
    body: question("config.get", { section: "camera" }),
  });
  expect(status).toBe(401);
});

test("a sensor that hangs leaves the question without an answer, and its tunnel open", async () => {
  const made = await openReachableSensor({ type: "ZOD", faults: [noResponse({ from: 0, to: Infinity })] });
  let isAnswered = false;
  const answer = requestThrough(made.cloud, "POST", "/rpc", { body: question("config.get", { section: "gps" }) });
  const settled = answer.then(() => (isAnswered = true));
  // A later request is not affected.
  expect((await requestThrough(made.cloud, "POST", "/auth", { body: {} })).status).toBe(404);
  expect(isAnswered).toBe(false);
  for (const session of made.cloud.tunnels.values()) session.destroy();
  await settled;
});
