// Occupancy of a coach and its parts. While the count of a section is unknown, totals are lower bounds.
import type { OccupancyPreview } from "@psp/contract/section/preview.ts";
import { previewText as text } from "../preview.text.ts";

/** `persons` is null if unknown, and a lower bound if `isLeast`. */
export type OccupancyCount = { persons: number | null; isLeast: boolean; capacity: number };
export type SectionOccupancy = OccupancyCount & { id: string; name: string };
export type LevelOccupancy = OccupancyCount & {
  id: string | null;
  name: string;
  sections: readonly SectionOccupancy[];
};

type Part = Pick<OccupancyPreview["coach"], "persons" | "capacity">;
type Section = OccupancyPreview["sections"][number];

const isUnknown = ({ state, persons }: Section) => state === "unknown" || persons === null;

/** Total of the sections. The device's own total is used only if all sections are known. */
function sumOf({ persons, capacity }: Part, sections: readonly Section[]): OccupancyCount {
  if (persons !== null && !sections.some(isUnknown)) return { persons, isLeast: false, capacity };
  const known = sections.filter((section) => !isUnknown(section));
  return { persons: known.reduce((sum, section) => sum + (section.persons ?? 0), 0), isLeast: true, capacity };
}

const filledSection = (section: Section): SectionOccupancy => ({
  id: section.id,
  name: section.name,
  persons: isUnknown(section) ? null : section.persons,
  isLeast: false,
  capacity: section.capacity,
});

export const toSectionOccupancies = ({ sections }: OccupancyPreview): SectionOccupancy[] => sections.map(filledSection);
export const toCoachOccupancy = ({ coach, sections }: OccupancyPreview): OccupancyCount => sumOf(coach, sections);

/** Sections without a level come last. */
export function toLevelOccupancies({ levels, sections }: OccupancyPreview): LevelOccupancy[] {
  const named = levels.map((level) => {
    const own = sections.filter(({ levelId }) => levelId === level.id);
    return { ...sumOf(level, own), id: level.id, name: level.name, sections: own.map(filledSection) };
  });
  const rest = sections.filter(({ levelId }) => !levels.some(({ id }) => id === levelId));
  if (rest.length === 0) return named;
  const places = rest.reduce((sum, { capacity }) => sum + capacity, 0);
  const other = sumOf({ persons: null, capacity: places }, rest);
  const isLeast = rest.some(isUnknown);
  return [...named, { ...other, isLeast, id: null, name: text.otherLevel, sections: rest.map(filledSection) }];
}

/** Such as "12 / 40", "≥ 12 / 40", or "unknown". */
export function formatOccupancy({ persons, isLeast, capacity }: OccupancyCount): string {
  if (persons === null) return text.unknown;
  return isLeast ? text.atLeast(`${persons} / ${capacity}`) : `${persons} / ${capacity}`;
}

export function shareOf({ persons, capacity }: OccupancyCount): number | null {
  return persons === null || capacity === 0 ? null : persons / capacity;
}

/** Such as "30 %", "≥ 30 %", or "unknown". Without capacity, "-". */
export function formatShare(filled: OccupancyCount): string {
  const share = shareOf(filled);
  if (share === null) return filled.persons === null ? text.unknown : "-";
  const percent = `${Math.floor(share * 100)} %`;
  return filled.isLeast ? text.atLeast(percent) : percent;
}

export const fillSteps = ["low", "middle", "high", "full"] as const;
export type FillStep = (typeof fillSteps)[number] | "unknown";

export function fillStepOf(filled: OccupancyCount): FillStep {
  const share = shareOf(filled);
  if (share === null) return filled.persons === null ? "unknown" : filled.persons > 0 ? "full" : "low";
  if (share >= 1) return "full";
  if (share > 0.8) return "high";
  return share > 0.5 ? "middle" : "low";
}
