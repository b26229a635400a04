// Sends texts and values that may not be stored (brackets, control characters, too long, out of range): each is refused with its code.
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bodyOf, callNamed, expectRefusal as sendRefused } from "../testing/requests/refusals.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";
import { createScene, type Scene } from "../testing/scenes/scene.ts";
import { type Snapshot, captureSnapshot } from "../testing/snapshot.ts";
import { forEachAtOnce } from "../testing/at-once.ts";

let scene: Scene;
let before: Snapshot;
beforeAll(async () => void (scene = await createScene()));
afterAll(() => scene.world.stop());
beforeEach(async () => void (before = await captureSnapshot(scene.world.ctx.db)));

const unchanged = async () => expect(await captureSnapshot(scene.world.ctx.db)).toEqual(before);
const refused = (call: AnyEndpoint, body: unknown, headers?: Record<string, string>) =>
  sendRefused(scene, call, body, headers);
const sampleBody = (call: AnyEndpoint) => bodyOf(scene, call);

describe("texts that people type", () => {
  const long = (length: number) => "x".repeat(length);
  const places: [string, string, (text: string) => object, number][] = [
    ["createAccount", "name", (name) => ({ name }), 200],
    ["updateAccount", "name", (name) => ({ name }), 200],
    ...(["phone", "street", "streetNumber", "zip", "city", "country", "supplier"] as const).map(
      (field, n): [string, string, (text: string) => object, number] => [
        "updateAccount",
        field,
        (text) => ({ [field]: text }),
        [20, 100, 10, 10, 100, 60, 100][n] ?? 0,
      ],
    ),
    ["createRole", "name", (name) => ({ name }), 200],
    ["updateRole", "name", (name) => ({ name }), 200],
    ["createLocation", "name", (name) => ({ name }), 200],
    ["updateLocation", "name", (name) => ({ name }), 200],
    ["createLocation", "tags", (tag) => ({ tags: ["north", tag] }), 100],
    ["updateLocation", "tags", (tag) => ({ tags: [tag] }), 100],
    ...(["street", "city", "state", "zip", "country", "onSiteInfo", "formatted"] as const).map(
      (field, n): [string, string, (text: string) => object, number] => [
        "updateLocation",
        field,
        (text) => ({ location: { address: { [field]: text } } }),
        [200, 100, 100, 20, 60, 500, 300][n] ?? 0,
      ],
    ),
    ["createInitToken", "name", (name) => ({ name }), 200],
    ["updateInitToken", "name", (name) => ({ name }), 200],
    ["updateSensor", "groups", (group) => ({ groups: [group] }), 100],
    [
      "updateSensor",
      "username",
      (username) => ({ sensorFeatureCredentials: [{ feature: "restapi", username, password: "x" }] }),
      256,
    ],
  ];
  const marks = [
    "<",
    ">",
    "[",
    "]",
    "{",
    "}",
    "\u0000",
    "\t",
    "\n",
    "\r",
    "\u001b",
    "\u007f",
    "\u0085",
    "\u2028",
    "\u2029",
    "\ud800",
    "\udc00x",
  ];

  test("ER-03 brackets, control characters, NUL and lone surrogates are 400 in every name", async () => {
    const shots = places.flatMap(([name, field, put]) =>
      marks.flatMap((mark) =>
        [`Shop${mark}1`, `${mark}Shop`, `Shop ${mark}`].map((text) => ({ name, field, body: put(text) })),
      ),
    );
    // Every fifth request is enough: each field still gets several characters, and each character is tried at several positions.
    await forEachAtOnce(everyNth(5, shots), async ({ name, field, body }) => {
      const call = callNamed(name);
      const { answer, field: named, exchange } = await refused(call, { ...sampleBody(call), ...body });
      expect(answer, exchange).toEqual([400, 400]);
      expect(named, exchange).toContain(field);
    });
    await unchanged();
  });

  test("ER-03 an overlong text is refused with 102, not cut", async () => {
    await forEachAtOnce(places, async ([name, field, put, max]) => {
      const call = callNamed(name);
      for (const length of [max + 1, 10_000]) {
        const { answer, field: named, exchange } = await refused(call, { ...sampleBody(call), ...put(long(length)) });
        expect(answer, exchange).toEqual([400, 102]);
        expect(named, exchange).toContain(field);
      }
    });
    await unchanged();
  });

  test("ER-03 108 for a name of blanks; 102 for a location's that is too short", async () => {
    for (const [name, field, put] of places) {
      if (field !== "name") continue;
      const call = callNamed(name);
      for (const blank of ["", "   ", "\u00a0"]) {
        const { answer, exchange } = await refused(call, { ...sampleBody(call), ...put(blank) });
        expect(answer, exchange).toEqual([400, 108]);
      }
    }
    expect((await refused(callNamed("updateLocation"), { name: "ab" })).answer).toEqual([400, 102]);
    await unchanged();
  });
});

test("ER-03 out-of-range values: 102 for a number, 103 owner, 107 role, 204 e-mail", async () => {
  const id = "0190a000-0000-7000-8000-ffffffffffff";
  const bad: [string, object, number][] = [
    ...[Number.MAX_SAFE_INTEGER + 2, 1e308, -1, 101, 0.5].map((n): [string, object, number] => [
      "createRole",
      { permissions: { owner: { canViewOwner: { relativeAncestorLevel: n } } } },
      102,
    ]),
    ["updateLocation", { location: { geo: { type: "Point", coordinates: [181, 0] } } }, 102],
    ["updateLocation", { location: { geo: { type: "Point", coordinates: [0, -90.01] } } }, 102],
    ["updateLocation", { location: { geo: { type: "Point", coordinates: [1e300, 1e300] } } }, 102],
    ["createDatapoint", { data: { count: 1e15 } }, 401],
    ["createDatapoint", { data: { count: -1 } }, 401],
    ["createDatapoint", { data: { count: 1.5 } }, 401],
    ["createDatapoint", { data: { count: "3" } }, 401],
    ["createDatapoint", { type: "counting" }, 102],
    ["createDatapoint", { startUTC: "yesterday" }, 102],
    ["createDatapoint", { startUTC: "0001-01-01T00:00:00Z" }, 102],
    ["createDatapoint", { endUTC: "9999-12-31T23:59:59Z" }, 102],
    ["createDatapoint", { startUTC: "0000-01-01T00:00:00+14:00" }, 102],
    ["createDatapoint", { startUTC: "2024-05-06T11:00:00Z" }, 102],
    ["createLocation", { owner: "" }, 103],
    ["createLocation", { owner: id }, 103],
    ["createRole", { owner: "me" }, 103],
    ["createSensor", { owner: id }, 103],
    ["createInitToken", { owner: "../" }, 103],
    ["updateSensor", { owner: id }, 103],
    ["updateFirmware", { owner: id }, 103],
    ["updateSensor", { measID: id }, 105],
    ["updateSensor", { artifact: id }, 105],
    ["updateSensor", { measID: "x" }, 102],
    ["createInitToken", { artifact: id }, 105],
    ["createLocation", { sensorID: "02:FF:FF:FF:FF:FF" }, 105],
    ["createLocation", { sensorID: "not a mac" }, 102],
    ["createSensor", { _id: "00:11" }, 102],
    ["createSensor", { type: "TOASTER" }, 102],
    ["createAccount", { role: id }, 107],
    ["createAccount", { role: "" }, 107],
    ["createAccount", { email: "" }, 202],
    ["createAccount", { email: "a@b@c" }, 204],
    ["createAccount", { email: "x@example.com\r\nBcc: y@example.com" }, 204],
    ["createAccount", { email: "x\u0000@example.com" }, 204],
    ["createAccount", { email: `${"x".repeat(250)}@example.com` }, 204],
    ["updateAccount", { directParentAccount: "x", acceptRegistration: true }, 103],
    ["updateFirmware", { name: "v1.2.3" }, 102],
    ["updateFirmware", { name: "../../etc" }, 102],
    ["updateFirmware", { name: "" }, 108],
  ];
  for (const [name, change, code] of bad) {
    const call = callNamed(name);
    const { answer, exchange } = await refused(call, { ...sampleBody(call), ...change });
    expect(answer, exchange).toEqual([code === 105 ? 404 : 400, code]);
  }
  await unchanged();
});
