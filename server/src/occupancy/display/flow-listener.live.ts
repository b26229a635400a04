// Keeps the latest flow of each sensor, and detects whether any gateway receives sensor messages.
import type { Context } from "../../context.ts";
import { isAnyGatewayListening } from "../ledger/board.service.ts";
import type { Flow } from "../ledger/ledger.rules.ts";

type HeardFlow = Omit<Flow, "num">;

export const checkEveryMs = 5000;
const maxHeard = 20_000;

export type FlowListener = ReturnType<typeof createFlowListener>;

/** While `isOfInterest` returns true, `onChange` is called when the last gateway disappears or the first one returns. */
export function createFlowListener(
  ctx: Context,
  isOfInterest: () => boolean,
  onFlow: (sensorId: string, flow: HeardFlow) => void,
  onChange: () => void,
) {
  const heard = new Map<string, HeardFlow>();
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
  // A dead gateway publishes no event, so this polls.
  const timer = setInterval(() => {
    if (isOfInterest()) void recheck().catch(onChange);
  }, checkEveryMs).unref();

  async function check(): Promise<void> {
    isDeaf = !(await isAnyGatewayListening(ctx));
  }

  async function recheck(): Promise<void> {
    const before = isDeaf;
    await check();
    if (isDeaf !== before) onChange();
  }

  return {
    isDeaf: () => isDeaf,
    check,
    lastFlow: (sensorId: string) => heard.get(sensorId),
    stop() {
      off();
      clearInterval(timer);
    },
  };
}
