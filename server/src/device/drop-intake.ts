// Ends the sessions of dropped sensors at one gateway only, where several share an external broker.

type Options = {
  /** Whether this gateway ends the session. */
  isMine(sensorId: string): boolean;
  end(sensorIds: readonly string[]): void;
  /** Another gateway ends the session. */
  forget(sensorId: string): void;
};

/** Longer than a killed gateway counts as running, because it may not have ended the sessions. */
const keptMs = 30_000;

export function createDropIntake({ isMine, end, forget }: Options) {
  let others: { sensorId: string; at: number }[] = [];
  return {
    add(sensorIds: readonly string[]) {
      const at = performance.now();
      const left = sensorIds.filter((id) => !isMine(id));
      for (const id of left) forget(id);
      others = [...others.filter((one) => at - one.at < keptMs), ...left.map((sensorId) => ({ sensorId, at }))];
      end(sensorIds.filter(isMine));
    },
    /** Called when another gateway has ended: ends the sessions for which this one is responsible now. */
    repeat() {
      const again = others.map((one) => one.sensorId).filter(isMine);
      others = others.filter((one) => !isMine(one.sensorId));
      end(again);
    },
  };
}
