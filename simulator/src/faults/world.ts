// Conditions of a sensor as pure functions of time, so that live records, history and ground truth agree.

export type Osd = 0 | 1 | 3 | 5;
export type FaultRestartReason = "power" | "watchdog" | "crash";
export type Restart = { at: number; reason: FaultRestartReason; downMs: number };
export type ClockState = "ok" | "frozen" | "lost";
export type Direction = "in" | "out";
/** Half-open, ms UTC. */
export type TimeWindow = { from: number; to: number };

export type UpdateFault = "sig" | "hash" | "selftest" | "silent" | "power" | "stuck";

/** A fault. Omitted conditions are normal. Times are true times in ms UTC, whatever the device's clock shows. */
export type Fault = {
  /** Fraction of people detected, 0..1. */
  sees?: (at: number, direction: Direction) => number;
  /** Lens view: 0 clear, 1 covered, 3 too dark, 5 too bright. */
  view?: (at: number) => Osd;
  powered?: (at: number) => boolean;
  linked?: (at: number) => boolean;
  clock?: (at: number) => ClockState;
  /** False: storage acknowledgements are lost. */
  receivesAcks?: (at: number) => boolean;
  /** False: remote functions get no response. */
  answers?: (at: number) => boolean;
  copies?: (at: number) => number;
  /** Restarts in [from, to), in time order. */
  restarts?: (from: number, to: number) => Restart[];
  /** The next time after `after` at which any of the above changes. */
  nextEdge?: (after: number) => number;
  update?: UpdateFault;
  /** A period to be sent as back-fill. */
  past?: TimeWindow;
};

/** All faults of a sensor combined. */
export type SensorConditions = Required<Omit<Fault, "update" | "past">> & {
  /** No faults at all; a fast path for healthy sensors. */
  plain: boolean;
  update: UpdateFault | null;
  past: TimeWindow | null;
};

const healthy: SensorConditions = {
  plain: true,
  sees: () => 1,
  view: () => 0,
  powered: () => true,
  linked: () => true,
  clock: () => "ok",
  receivesAcks: () => true,
  answers: () => true,
  copies: () => 1,
  restarts: () => [],
  nextEdge: () => Infinity,
  update: null,
  past: null,
};

/** Combines faults: the worst value wins; fractions multiply. */
export function combineFaults(faults: Fault[]): SensorConditions {
  if (!faults.length) return healthy;
  return {
    plain: false,
    sees: (at, direction) => faults.reduce((share, fault) => share * (fault.sees?.(at, direction) ?? 1), 1),
    view: (at) => faults.reduce<Osd>((worst, fault) => Math.max(worst, fault.view?.(at) ?? 0) as Osd, 0),
    powered: (at) => faults.every((fault) => fault.powered?.(at) ?? true),
    linked: (at) => faults.every((fault) => fault.linked?.(at) ?? true),
    clock: (at) => faults.map((fault) => fault.clock?.(at) ?? "ok").find((state) => state !== "ok") ?? "ok",
    receivesAcks: (at) => faults.every((fault) => fault.receivesAcks?.(at) ?? true),
    answers: (at) => faults.every((fault) => fault.answers?.(at) ?? true),
    copies: (at) => Math.max(...faults.map((fault) => fault.copies?.(at) ?? 1)),
    restarts: (from, to) => faults.flatMap((fault) => fault.restarts?.(from, to) ?? []).toSorted((a, b) => a.at - b.at),
    nextEdge: (after) => Math.min(...faults.map((fault) => fault.nextEdge?.(after) ?? Infinity)),
    update: faults.find((fault) => fault.update)?.update ?? null,
    past: faults.find((fault) => fault.past)?.past ?? null,
  };
}

export function mergeSensorConditions(one: SensorConditions, other: SensorConditions): SensorConditions {
  const asFault = ({ update, past, ...rest }: SensorConditions): Fault => ({
    ...rest,
    ...(update === null ? {} : { update }),
    ...(past === null ? {} : { past }),
  });
  return one.plain && other.plain ? one : combineFaults([asFault(one), asFault(other)]);
}

export function isIn(window: TimeWindow, at: number): boolean {
  return at >= window.from && at < window.to;
}

/** `nextEdge` of a fault that lasts for one window. */
export function edgesOf(window: TimeWindow): (after: number) => number {
  return (after) => (after < window.from ? window.from : after < window.to ? window.to : Infinity);
}

/** Splits an interval at every change. */
function* stretchesOf(world: SensorConditions, from: number, to: number): Generator<{ at: number; ms: number }> {
  for (let at = from; at < to;) {
    const end = Math.min(to, world.nextEdge(at));
    yield { at, ms: end - at };
    at = end;
  }
}

/** The worst view of an interval, and the seconds per status. */
export function viewIn(
  world: SensorConditions,
  from: number,
  to: number,
): { worst: Osd; seconds: Record<string, number> } {
  const spent: Record<Osd, number> = { 0: 0, 1: 0, 3: 0, 5: 0 };
  let worst: Osd = 0;
  for (const { at, ms } of stretchesOf(world, from, to)) {
    const view = world.view(at);
    spent[view] += ms;
    worst = Math.max(worst, view) as Osd;
  }
  const seconds: Record<string, number> = {};
  for (const [code, ms] of Object.entries(spent)) if (ms || code === "0") seconds[code] = Math.round(ms / 1000);
  return { worst, seconds };
}

/** Milliseconds of an interval in which the sensor was running. */
export function uptimeIn(world: SensorConditions, from: number, to: number): number {
  if (world.plain) return to - from;
  let up = 0;
  for (const { at, ms } of stretchesOf(world, from, to)) if (world.powered(at)) up += ms;
  for (const restart of world.restarts(from, to))
    if (world.powered(restart.at)) up -= Math.min(restart.downMs, to - restart.at);
  return Math.max(0, up);
}
