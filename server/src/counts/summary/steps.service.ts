// Sums the counts of many locations per step of a chart. Steps are local days or hours, so that locations in different zones add up.
import type { BucketSize, Comparison, DayRange } from "@psp/contract/counts/count-range.ts";
import { comparisonShiftDays } from "@psp/contract/counts/count-range.ts";
import { dateOf, hourMs } from "@psp/contract/kit/zone.ts";
import type { Context } from "../../context.ts";
import { addSums, createZeroSums, type Sums } from "../aggregate.store.ts";
import { toCountSum } from "../count-sum.rules.ts";
import { type LocationRange, sumLocationsByDay, visitLocationStarts } from "../place-sums.store.ts";

/** `first` and `last` are local days. `hour` is the local hour, or null for steps of days. Numbers are null where nothing is known. */
export type Step = {
  first: number;
  last: number;
  hour: number | null;
  in: number | null;
  out: number | null;
  earlierIn: number | null;
};

type Asked = LocationRange & { earlier: LocationRange | null };
type Steps = { days: DayRange; by: BucketSize | null; compare: Comparison | null; isOpenOnly: boolean };

/** Collects the sums of all parts of the locations. */
export function createSteps({ days, by, compare, isOpenOnly }: Steps) {
  const steps = by === null ? [] : listSteps(days, by);
  const sums = steps.map(() => ({ now: createZeroSums(), earlier: createZeroSums() }));
  const shift = compare === null ? 0 : comparisonShiftDays(days, compare);
  const known = (part: Sums) => toCountSum({ ...part, expectedMs: 0 }, isOpenOnly);
  const indexOf = by === "hour" ? null : indexByDay(steps);

  async function addDays(ctx: Context, asked: readonly LocationRange[], side: "now" | "earlier", back: number) {
    for (const sumsOfDays of await sumLocationsByDay(ctx.db, asked))
      for (const [day, sum] of sumsOfDays) {
        const into = sums[indexOf?.get(day + back) ?? -1];
        if (into) addSums(into[side], sum);
      }
  }

  async function addHours(ctx: Context, asked: readonly LocationRange[], side: "now" | "earlier", back: number) {
    await visitLocationStarts(ctx.db, asked, (index, startMs, sum) => {
      const local = asked[index]?.place.zone.localMs(startMs) ?? 0;
      const into = sums[Math.floor(local / hourMs) - (days.first - back) * 24];
      if (into) addSums(into[side], sum);
    });
  }

  return {
    async add(ctx: Context, located: readonly Asked[]): Promise<void> {
      if (by === null) return;
      const addSide = by === "hour" ? addHours : addDays;
      await addSide(ctx, located, "now", 0);
      const earlier = located.flatMap((one) => one.earlier ?? []);
      if (earlier.length > 0) await addSide(ctx, earlier, "earlier", shift);
    },
    result: (): Step[] =>
      steps.map((step, index) => {
        const { now, earlier } = sums[index] ?? { now: createZeroSums(), earlier: createZeroSums() };
        const { in: people, out } = known(now);
        return { ...step, in: people, out, earlierIn: known(earlier).in };
      }),
  };
}

type Place = Pick<Step, "first" | "last" | "hour">;

function listSteps({ first, last }: DayRange, by: BucketSize): Place[] {
  const steps: Place[] = [];
  for (let day = first; day <= last; day += 1) {
    if (by === "hour") for (let hour = 0; hour < 24; hour += 1) steps.push({ first: day, last: day, hour });
    else {
      const open = steps.at(-1);
      if (open && !beginsAt(day, by)) open.last = day;
      else steps.push({ first: day, last: day, hour: null });
    }
  }
  return steps;
}

function beginsAt(day: number, by: Exclude<BucketSize, "hour">): boolean {
  const date = dateOf(day);
  return by === "day" || (by === "week" ? date.dayOfWeek === 1 : date.day === 1);
}

function indexByDay(steps: readonly Place[]): Map<number, number> {
  const index = new Map<number, number>();
  for (const [n, { first, last }] of steps.entries()) for (let day = first; day <= last; day += 1) index.set(day, n);
  return index;
}
