// Tests exports of counts for programs and for spreadsheets (DS-01).
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiResponse, countRecord, createSite, type Person, type Site } from "../datapoint/site.testing.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.stop());

const code = ({ status, body }: ApiResponse) => [status, (body as { code?: number }).code];

test("DS-01 files for people have titles and local times; those for programs stay the same", async () => {
  const [id, other] = [await site.location("Europe/Berlin"), await site.location("America/New_York")];
  await site.ctx.db.updateTable("location").set({ name: "=Zürich; Hall" }).where("id", "=", id).execute();
  const sensor = await site.sensor({ locationId: id, since: Date.UTC(2025, 0, 1) });
  await site.store(sensor, [countRecord(Date.UTC(2026, 4, 4, 22), 1800, { door: [4, 3] })]);
  const range = "from=2026-05-03T22:00:00Z&to=2026-05-05T22:00:00Z";
  const get = async (kind: string, query: string) => {
    const answer = await site.call(site.root, `/data/v2/${kind}?${range}&${query}`);
    expect(answer.status, answer.text).toBe(200);
    return { ...answer, lines: Buffer.from(answer.bytes).toString().trimEnd().split("\n") };
  };
  const people = await get("aggregate/csv", `filter=meas:${id}&acc=day&style=people&separator=semicolon`);
  expect(people.lines).toEqual([
    `\ufeff"'=Zürich; Hall";2026-05-04 – 2026-05-05;Europe/Berlin`,
    "Name;ID;Time zone;Start;End;In;Out;Completeness",
    `"'=Zürich; Hall";${id};Europe/Berlin;2026-05-04 00:00:00;2026-05-05 00:00:00;;;0`,
    `"'=Zürich; Hall";${id};Europe/Berlin;2026-05-05 00:00:00;2026-05-06 00:00:00;4;3;0,020833`,
  ]);
  expect(people.disposition).toBe(
    "attachment; filename=\"=Zurich; Hall_2026-05-04_2026-05-05_day.csv\"; filename*=UTF-8''%3DZ%C3%BCrich%3B%20Hall_2026-05-04_2026-05-05_day.csv",
  );
  for (const [name, sign] of [
    ["comma", ","],
    ["tab", "\t"],
  ] as const) {
    const { lines } = await get(
      "aggregate/csv",
      `filter=meas:${id}&filter=meas:${other}&acc=total&style=people&separator=${name}`,
    );
    expect(lines[1]).toBe(["Name", "ID", "Time zone", "Start", "End", "In", "Out", "Completeness"].join(sign));
    expect(lines[0]).toMatch(/Hall, A place"?.2026-05-04 – 2026-05-05."?Europe\/Berlin, America\/New_York"?$/);
    expect(lines[3]).toBe(
      ["A place", other, "America/New_York", "2026-05-03 18:00:00", "2026-05-05 18:00:00", "", "", 0].join(sign),
    );
  }
  const points = await get("download/csv", `filter=sens:${sensor.id}:counting&style=people`);
  expect(points.lines[0]).toBe(`\ufeff"${sensor.id}, =Zürich; Hall",2026-05-04 – 2026-05-05,Europe/Berlin`);
  expect(points.lines[2]).toMatch(/,2026-05-05 00:00:00,2026-05-05 00:30:00,counting,/);

  const called = await get("aggregate/xlsx", `filter=meas:${other}&fileName=${encodeURIComponent("Shop: a/b")}`);
  expect(called.disposition).toBe(`attachment; filename="Shop- a-b.xlsx"`);

  for (const query of ["", "&separator=comma"]) {
    const plain = await get("aggregate/csv", `filter=meas:${id}&acc=total${query}`);
    expect(plain.lines[0]).toBe("filter,type,start,end,startUTC,endUTC,in,out,completeness");
  }
  for (const kind of ["download/json", "download/csv", "aggregate/json", "aggregate/csv", "aggregate/xlsx"]) {
    const { disposition } = await get(kind, `filter=meas:${other}`);
    const content = kind.startsWith("download") ? "datapoints" : "day";
    const days = "2026-05-03 18-00_2026-05-05 18-00";
    expect(disposition).toBe(`attachment; filename="A place_${days}_${content}.${kind.split("/")[1]}"`);
  }
  for (const query of ["style=robots", "style=people&separator=x", "separator=;"]) {
    const answer = await site.call(site.root, `/data/v2/aggregate/csv?filter=meas:${id}&${query}`);
    expect(code(answer)).toEqual([400, 102]);
  }
});

test("DS-01 a file names a sensor by its location only for viewers of the location", async () => {
  const reader = await site.person({ ownable: { sensor: { canViewObject: { me: true } } } });
  const sensor = await site.sensor({ owner: reader, locationId: await site.location("UTC") });
  const title = async (who: Person) => {
    const path = `/data/v2/aggregate/csv?filter=sens:${sensor.id}&preset=yesterday&style=people`;
    return (await site.call(who, path)).text.split(/[\n,]/, 2).join();
  };
  expect(await title(site.root)).toContain(`${sensor.id}, A place`);
  expect(await title(reader)).not.toContain("A place");
});
