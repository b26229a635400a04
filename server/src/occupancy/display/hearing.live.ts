// What sensors said last about people walking through, and whether sensors are heard at all.
import type { Context } from "../../context.ts";
import { isListening } from "../ledger/board.service.ts";
import type { Flow } from "../ledger/ledger.rules.ts";

type HeardFlow = Omit<Flow, "num">;

const checkEveryMs = 5000;
const maxHeard = 20_000;

export type Hearing = ReturnType<typeof createHearing>;

/** `onChange` is called when sensors are heard no longer, or again, as far as that `isOfInterest`. */
export function createHearing(
  ctx: Context,
  isOfInterest: () => boolean,
  onFlow: (sensorId: string, flow: HeardFlow) => void,
  onChange: () => void,
) {
  /** The last word of each sensor, also of those that no open display counts with. */
  const heard = new Map<string, HeardFlow>();
  /** Sensors are not heard, because no gateway is at work. */
  let isDeaf = false;

  const off = ctx.bus.on("liveLevel", ({ sensorId, level }) => {
    if (level.t !== "flow") return;
    const [ins, out] = (["in", "out"] as const).map((way) => level.lines.reduce((sum, line) => sum + line[way], 0));
    const flow = { sinceMs: level.since, receivedMs: ctx.clock.now(), in: ins ?? 0, out: out ?? 0 };
    heard.delete(sensorId);
    heard.set(sensorId, flow);
    if (heard.size > maxHeard) heard.delete(heard.keys().next().value ?? "");
    onFlow(sensorId, flow);
  });
  // Without a gateway nothing comes that would say so.
  const timer = setInterval(() => {
    if (isOfInterest()) void recheck().catch(onChange);
  }, checkEveryMs).unref();

  async function check(): Promise<void> {
    isDeaf = !(await isListening(ctx));
  }

  async function recheck(): Promise<void> {
    const before = isDeaf;
    await check();
    if (isDeaf !== before) onChange();
  }

  return {
    isDeaf: () => isDeaf,
    /** Looks whether a gateway is at work. */
    check,
    lastFlow: (sensorId: string) => heard.get(sensorId),
    stop() {
      off();
      clearInterval(timer);
    },
  };
}
