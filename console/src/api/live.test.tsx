// Tests how the live channel reports watched objects to the server and delivers messages about counts (LI-01).
import { getSessionUser } from "@psp/contract/auth/auth.api.ts";
import type { CountsStoredMessage } from "@psp/contract/live/live-message.ts";
import type { Watch } from "@psp/contract/live/live.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { call } from "./call.ts";
import { type LiveChannel, type LiveHandlers, openLiveChannel } from "./live.ts";
import { watchCounts, getCurrentWatch } from "./watch.ts";

class Socket extends EventTarget {
  static readonly OPEN = 1;
  static last: Socket | undefined;
  readyState = 0;
  readonly said: Watch[] = [];
  readonly address: URL;
  constructor(address: URL) {
    super();
    this.address = address;
    Socket.last = this;
  }
  send(text: string) {
    this.said.push((JSON.parse(text) as { watch: Watch }).watch);
  }
  open() {
    this.readyState = Socket.OPEN;
    this.dispatchEvent(new Event("open"));
  }
  close(code = 1000) {
    this.readyState = 3;
    this.dispatchEvent(new CloseEvent("close", { code }));
  }
  tell(message: object) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
}

const nothing: Watch = { measIDs: [], sensorIDs: [], any: false };
const counted: CountsStoredMessage[] = [];
let batches = 0;
const handlers: LiveHandlers = {
  onState: () => undefined,
  onMessages: () => void (batches += 1),
  onCounts: (message) => void counted.push(message),
  onVehicle: () => undefined,
  onResync: () => undefined,
  onEnded: () => undefined,
};
let channel: LiveChannel;
const headers = new Headers();
const ends: (() => void)[] = [];
const watch = (watched: Parameters<typeof watchCounts>[0]) => {
  const end = watchCounts(watched);
  ends.push(end);
  return end;
};
const socket = () => Socket.last as Socket;
const soon = () => vi.advanceTimersByTimeAsync(10);

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Socket);
  const ticket = { ticket: "t", expiresAt: "2030-01-01T00:00:00Z" };
  // Not a real Response, so that the test controls when the body arrives.
  vi.stubGlobal("fetch", async () => ({ ok: true, status: 200, headers, json: async () => ticket }));
  counted.length = 0;
  batches = 0;
  Socket.last = undefined;
  channel = openLiveChannel(handlers);
  // The parser is loaded lazily, independent of the fake clock.
  await vi.waitFor(() => expect(Socket.last).toBeDefined());
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  channel.stop();
  await soon();
});

test("LI-01 the first message states what is watched, then each change, deduplicated per moment", async () => {
  socket().open();
  expect(socket().said).toEqual([nothing]);
  const end = watch({ measIDs: ["b"] });
  watch({ measIDs: ["a", "b"], sensorIDs: ["s"] });
  await soon();
  expect(socket().said.slice(1)).toEqual([{ measIDs: ["a", "b"], sensorIDs: ["s"], any: false }]);
  end();
  watch({ any: true });
  await soon();
  expect(socket().said.slice(2)).toEqual([{ measIDs: ["a", "b"], sensorIDs: ["s"], any: true }]);
});

test("LI-01 after a lost connection it is said once more", async () => {
  watch({ measIDs: ["a"] });
  socket().open();
  const first = socket();
  first.close(1006);
  await vi.advanceTimersByTimeAsync(4000);
  expect(socket()).not.toBe(first);
  watch({ sensorIDs: ["s"] });
  await soon();
  expect(socket().said).toEqual([]);
  socket().open();
  expect(socket().said).toEqual([{ measIDs: ["a"], sensorIDs: ["s"], any: false }]);
});

test("LI-01 more objects than the server's limit are watched as `any`", () => {
  watch({ measIDs: Array.from({ length: 101 }, (_, n) => `m${n}`) });
  expect(getCurrentWatch()).toMatchObject({ any: true });
  expect(getCurrentWatch().measIDs).toHaveLength(100);
});

test("LI-01 stored counts are handed on at once, changes of objects after a second", async () => {
  socket().open();
  const obj = { measID: "a", sens: "s", type: "counting", from: "2026-11-23T10:00:00Z", to: "2026-11-23T10:01:00Z" };
  socket().tell({ type: "sensor", op: "update", obj: { _id: "s" }, seq: 1, cursor: "c1" });
  socket().tell({ type: "datapoint", op: "create", obj, seq: 2, cursor: "c2" });
  expect(counted).toHaveLength(1);
  expect(batches).toBe(0);
  await vi.advanceTimersByTimeAsync(1000);
  expect(batches).toBe(1);
});

test("LI-01 a page joins with the session's cursor and reconnects with the last message's", async () => {
  expect(socket().address.searchParams.get("since")).toBe(null);
  channel.stop();
  headers.set("x-live-since", "41");
  await call(getSessionUser).catch(() => undefined);
  headers.delete("x-live-since");
  Socket.last = undefined;
  channel = openLiveChannel(handlers);
  await vi.waitFor(() => expect(Socket.last).toBeDefined());
  expect(socket().address.searchParams.get("since")).toBe("41");
  const first = socket();
  first.open();
  first.tell({ type: "hello", seq: 45, cursor: "c45" });
  first.close(1006);
  await vi.advanceTimersByTimeAsync(4000);
  expect(socket()).not.toBe(first);
  expect(socket().address.searchParams.get("since")).toBe("c45");
});
