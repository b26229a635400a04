// Occupancy of a coach: people distributed over its sections, as far as cameras see them.
import { delayOf, lastOpenDoors } from "../counting/route.ts";
import { computeTally } from "../counting/tally.ts";
import type { SectionValues } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { hashText, seededRandom, mixSeeds } from "../random.ts";
import { activeValues } from "../section/sections.ts";
import type { GroupValues } from "../section/zod.ts";
import { type Camera, camerasOf } from "./cameras.ts";

const seatMs = 5 * 60_000;

/** People inside, whether or not cameras see them. Includes manual passages. */
function inside(sensor: Sensor, now: number): number {
  const { profile, world, aboard } = sensor;
  const delay = profile.coach ? delayOf(hashText(profile.coach.vehicle)) : 0;
  const at = profile.coach ? lastOpenDoors(now + delay) - delay : now;
  const { zone } = computeTally({ ...profile, zone1: true }, world, at - 1000, at);
  return Math.max(0, (zone?.last ?? 0) + aboard);
}

/** Distributes people over sections by size, with some movement. */
function spread(people: number, sections: GroupValues["sections"], seed: number, at: number): number[] {
  const places = sections.map(({ seats, standing }) => seats + standing);
  const sum = places.reduce((all, one) => all + one, 0);
  const taken = places.map(() => 0);
  for (let person = 0; person < people; person++) {
    // Each person moves at a different time.
    const draw = seededRandom(mixSeeds(seed, person, Math.floor((at + mixSeeds(seed, person)) / seatMs)));
    let place = draw() * sum;
    const section = places.findIndex((here) => (place -= here) < 0);
    const chosen = section === -1 ? places.length - 1 : section;
    taken[chosen] = (taken[chosen] ?? 0) + 1;
  }
  return taken;
}

type Counted = { id: string; name: string; levelId: string; persons: number | null; capacity: number; state: string };

/** All people by section, whether or not cameras see them. */
function peopleBySection(sensor: Sensor): Map<string, number> {
  const { sections } = activeValues(sensor, "group") as GroupValues;
  const at = sensor.env.clock.now();
  const people = spread(inside(sensor, at), sections, sensor.profile.seed, at);
  return new Map(sections.map(({ id }, index) => [id, people[index] ?? 0]));
}

const watching = (cameras: readonly Camera[], section: string | null): Camera[] =>
  cameras.filter(({ sectionId, state }) => section !== null && sectionId === section && state !== "off");

/** People by section; null for a section that is not completely visible. */
function countSections(sensor: Sensor, cameras: readonly Camera[], people: Map<string, number>): Counted[] {
  const { sections } = activeValues(sensor, "group") as GroupValues;
  return sections.map(({ id, name, levelId, seats, standing }) => {
    const own = watching(cameras, id);
    const isSeen = own.length > 0 && own.every(({ state }) => state === "ok");
    const persons = isSeen ? (people.get(id) ?? 0) : null;
    return { id, name, levelId, persons, capacity: seats + standing, state: isSeen ? "ok" : "unknown" };
  });
}

/** People by camera. The people of a section are divided among its cameras. Null for a camera that sees nothing. */
function seenBy(cameras: readonly Camera[], people: Map<string, number>): (number | null)[] {
  return cameras.map((camera) => {
    if (camera.state !== "ok") return null;
    const own = watching(cameras, camera.sectionId);
    const all = people.get(camera.sectionId ?? "") ?? 0;
    const turn = own.indexOf(camera);
    return own.length === 0 ? 0 : Math.floor(all / own.length) + (turn < all % own.length ? 1 : 0);
  });
}

export function peopleByCamera(sensor: Sensor, cameras: readonly Camera[]): (number | null)[] {
  return seenBy(cameras, peopleBySection(sensor));
}

const sumOf = (parts: readonly Counted[]) => ({
  persons: parts.reduce((all, { persons }) => all + (persons ?? 0), 0),
  capacity: parts.reduce((all, { capacity }) => all + capacity, 0),
});

/** People by section; only sections that cameras see completely. */
export function countPeopleInVisibleSections(sensor: Sensor): { id: string; n: number }[] {
  const sections = countSections(sensor, camerasOf(sensor), peopleBySection(sensor));
  return sections.flatMap(({ id, persons }) => (persons === null ? [] : [{ id, n: persons }]));
}

/** The numbers of people per level and in the coach include only visible sections; the others are marked as unknown. */
export function createOccupancyPreview(sensor: Sensor): SectionValues {
  const { levels } = activeValues(sensor, "group") as GroupValues;
  const cameras = camerasOf(sensor);
  const people = peopleBySection(sensor);
  const sections = countSections(sensor, cameras, people);
  const persons = seenBy(cameras, people);
  return {
    coach: sumOf(sections),
    levels: levels.map(({ id, name }) => ({ id, name, ...sumOf(sections.filter(({ levelId }) => levelId === id)) })),
    sections,
    cameras: cameras.map(({ id, name, state }, index) => ({ id, name, persons: persons[index] ?? null, state })),
  };
}
