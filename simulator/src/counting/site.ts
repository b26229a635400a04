// Places where sensors hang, and how many people come at which time of the week.
import { localMoment } from "../local-time.ts";

export const siteKinds = ["shop", "station", "library"] as const;
export type SiteKind = (typeof siteKinds)[number];

export type Site = {
  /** People on an ordinary weekday. */
  daily: number;
  /** Weight of each local hour, 0 where closed. */
  hours: readonly number[];
  /** Factor and, where other, hours of Saturday and Sunday. */
  saturday: { factor: number; hours?: readonly number[] };
  sunday: { factor: number; hours?: readonly number[] };
  /** Minute of the local day at which everybody is asked to leave. */
  closesAt: number;
  /** Mean and maximum stay in minutes. */
  meanStayMin: number;
  maxStayMin: number;
};

const hours = (from: number, ...weights: number[]): number[] =>
  Array.from({ length: 24 }, (_, hour) => weights[hour - from] ?? 0);

export const sites: Record<SiteKind, Site> = {
  shop: {
    daily: 620,
    hours: hours(9, 3, 5, 7, 8, 7, 6, 7, 9, 10, 8, 4),
    saturday: { factor: 1.55, hours: hours(9, 3, 6, 9, 11, 11, 10, 10, 9, 7, 4, 2) },
    sunday: { factor: 0.4, hours: hours(12, 3, 6, 8, 7, 5, 2) },
    closesAt: 20 * 60 + 10,
    meanStayMin: 16,
    maxStayMin: 90,
  },
  station: {
    daily: 2600,
    hours: hours(4, 1, 4, 9, 14, 13, 8, 6, 6, 7, 7, 7, 9, 13, 14, 10, 6, 4, 3, 2, 1),
    saturday: { factor: 0.6, hours: hours(5, 1, 2, 4, 6, 8, 9, 10, 10, 9, 9, 9, 9, 8, 7, 6, 5, 4, 3, 2) },
    sunday: { factor: 0.45, hours: hours(6, 1, 2, 4, 6, 8, 9, 9, 9, 9, 9, 9, 8, 7, 6, 4, 3, 2, 1) },
    closesAt: 24 * 60 + 20,
    meanStayMin: 7,
    maxStayMin: 45,
  },
  library: {
    daily: 480,
    hours: hours(8, 4, 8, 10, 10, 8, 9, 10, 9, 8, 7, 5, 4, 2, 1),
    saturday: { factor: 0.7, hours: hours(10, 5, 8, 9, 9, 8, 6, 3) },
    sunday: { factor: 0 },
    closesAt: 22 * 60,
    meanStayMin: 65,
    maxStayMin: 240,
  },
};

const totals = new Map<readonly number[], number>();
function share(weights: readonly number[], minute: number): number {
  let total = totals.get(weights);
  if (total === undefined) {
    total = weights.reduce((sum, weight) => sum + weight, 0);
    totals.set(weights, total);
  }
  return total ? (weights[Math.floor(minute / 60)] ?? 0) / total : 0;
}

/** People per hour that come to a site at an instant, for an ordinary size of site. */
export function arrivalRate(site: Site, zone: string, at: number): number {
  const { weekday, minute } = localMoment(zone, at);
  if (weekday === 6) return site.daily * site.saturday.factor * share(site.saturday.hours ?? site.hours, minute);
  if (weekday === 0) return site.daily * site.sunday.factor * share(site.sunday.hours ?? site.hours, minute);
  return site.daily * share(site.hours, minute);
}
