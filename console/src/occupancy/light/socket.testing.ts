// Display sockets that tests control, and a sample display.
import type { Display, LightState } from "@psp/contract/occupancy/occupancy.api.ts";
import { occupancyDefaults } from "@psp/contract/occupancy/occupancy-defaults.ts";

export class LightSocket extends EventTarget {
  static all: LightSocket[] = [];
  readonly address: URL;
  isClosed = false;
  constructor(address: URL) {
    super();
    this.address = address;
    // The console's live socket is not a display socket.
    if (address.pathname.startsWith("/live/occupancy/")) LightSocket.all.push(this);
  }
  close(code = 1000) {
    if (this.isClosed) return;
    this.isClosed = true;
    this.dispatchEvent(new CloseEvent("close", { code }));
  }
  tell(state: LightState, count: number, maxObjects = 10) {
    const obj = { count, maxObjects, state, at: "2026-11-20T12:00:00.000Z" };
    const data = JSON.stringify({ type: "occupancy", op: "update", obj, seq: 1 });
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
  static get last(): LightSocket | undefined {
    return LightSocket.all.at(-1);
  }
}

export const displayWith = (id: string, facts: Partial<Display> = {}): Display => ({
  _id: id,
  name: "Harbour Shop",
  timezone: "Europe/Berlin",
  enabled: true,
  frontend: occupancyDefaults.frontend,
  ...facts,
});
