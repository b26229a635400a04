// Tests the display channel when the connection is cut, silent or refused, and while the app is switched off (OC-03).
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallError, createConnectionLostError } from "../../api/call.ts";
import { checkIntervalMs, graceMs, type LightSource, openLightChannel, requestTimeoutMs } from "./light-channel.ts";
import { displayWith, LightSocket } from "./socket.testing.ts";

const id = "00000000-0000-4000-8000-000000000006";
let said: string[] = [];
let looks = 0;
let loadDisplay: () => Promise<ReturnType<typeof displayWith>>;
let renewed = 0;
let channel: { stop(): void } | undefined;

const source: LightSource = {
  token: () => Promise.resolve("t/+ken"),
  loadDisplay: () => {
    looks += 1;
    return loadDisplay();
  },
  renew: () => (renewed += 1) === 1,
};
const go = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const socket = () => LightSocket.last as LightSocket;
function start() {
  channel = openLightChannel(id, source, {
    onDisplay: () => undefined,
    onLight: ({ state, count }) => said.push(`${state} ${count}`),
    onLost: (isLost) => said.push(isLost ? "lost" : "back"),
    onRefused: ({ status }) => said.push(`refused ${status}`),
  });
  return go(0);
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", LightSocket);
  LightSocket.all = [];
  said = [];
  looks = 0;
  renewed = 0;
  loadDisplay = () => Promise.resolve(displayWith(id));
});
afterEach(() => channel?.stop());

test("OC-03 the socket of the location is opened with the token, and what it says is passed on", async () => {
  await start();
  expect(socket().address.pathname).toBe(`/live/occupancy/${id}`);
  expect(socket().address.protocol).toMatch(/^ws/);
  expect(socket().address.searchParams.get("token")).toBe("t/+ken");
  socket().tell("opened", 3);
  socket().dispatchEvent(new MessageEvent("message", { data: "no JSON" }));
  socket().tell("closed", 10);
  expect(said).toEqual(["opened 3", "closed 10"]);
});

test("OC-03 a cut line is mended within the grace without a word, and said when it takes longer", async () => {
  await start();
  socket().tell("opened", 3);
  socket().close(1006);
  await go(1300);
  expect(LightSocket.all).toHaveLength(2);
  socket().tell("opened", 4);
  await go(graceMs);
  expect(said).toEqual(["opened 3", "opened 4"]);
  loadDisplay = () => Promise.reject(createConnectionLostError());
  socket().close(1006);
  await go(graceMs - 100);
  expect(said).toHaveLength(2);
  await go(200);
  expect(said.at(-1)).toBe("lost");
  loadDisplay = () => Promise.resolve(displayWith(id));
  for (let seconds = 0; LightSocket.all.length < 3 && seconds < 40; seconds += 1) await go(1000);
  socket().tell("closed", 10);
  expect(said.slice(2)).toEqual(["lost", "back", "closed 10"]);
});

test("OC-03 while the server is away it is asked less and less often, at least twice a minute", async () => {
  loadDisplay = () => Promise.reject(createConnectionLostError());
  await start();
  await go(60_000);
  const first = looks;
  await go(60_000);
  expect(first).toBeLessThan(9);
  expect(looks - first).toBeGreaterThanOrEqual(1);
  expect(looks - first).toBeLessThanOrEqual(2);
});

test("OC-03 a line that is dead without saying so is found out, and the state on it no longer holds", async () => {
  await start();
  socket().tell("opened", 3);
  const asked = looks;
  await go(checkIntervalMs);
  expect(looks).toBe(asked + 1);
  loadDisplay = () => Promise.reject(new DOMException("signal timed out", "TimeoutError"));
  await go(checkIntervalMs);
  expect(said).toEqual(["opened 3", "lost"]);
  expect(socket().isClosed).toBe(true);
});

test("OC-03 a handshake without an end is given up", async () => {
  await start();
  await go(requestTimeoutMs + 1300);
  expect(LightSocket.all).toHaveLength(2);
  expect(LightSocket.all[0]?.isClosed).toBe(true);
});

test("OC-03 a token that is refused is exchanged once more; after that the link is no good", async () => {
  loadDisplay = () => Promise.reject(new CallError(401, 106, "Unauthorized", null));
  await start();
  await go(5000);
  expect(said).toEqual(["refused 401"]);
  expect(renewed).toBe(2);
  const asked = looks;
  await go(120_000);
  expect(looks).toBe(asked);
});

test("OC-03 an app that is off opens no socket, and is asked again", async () => {
  loadDisplay = () => Promise.resolve(displayWith(id, { enabled: false }));
  await start();
  await go(4000);
  expect(LightSocket.all).toEqual([]);
  expect(said).toEqual([]);
  loadDisplay = () => Promise.resolve(displayWith(id));
  await go(11_000);
  expect(LightSocket.all).toHaveLength(1);
});

test("OC-03 too many calls are no refusal", async () => {
  loadDisplay = () => Promise.reject(new CallError(429, 106, "Slow down", null));
  await start();
  await go(4000);
  expect(said).toEqual(["lost"]);
});
