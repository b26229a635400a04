// Faults on demand: a line lets a running sensor fail, another one ends it (MO-02).
import { expect, test } from "vitest";
import { id, stage } from "../testing/stage.ts";
import { obey } from "./commands.ts";

test("MO-02 a lens is covered by a line on standard input, and clear again by another; nonsense is answered in words", async () => {
  const { cloud, sensor, online, pass } = await stage({ at: Date.UTC(2025, 2, 16, 9) });
  await online();
  const find = (asked: string) => (asked === id ? sensor : undefined);
  const views = () =>
    [...cloud.stored.values()].flatMap((record) => (record.t === "event" && record.kind === "osd" ? [record.to] : []));
  expect(obey(`fault ${id} covered-lens@0+600`, find)).toBeNull();
  await pass(120_000);
  expect(views()).toEqual([1]);
  expect(obey(`heal ${id}`, find)).toBeNull();
  await pass(120_000);
  expect(views()).toEqual([1, 0]);
  expect(obey(`fault ${id} earthquake`, find)).toContain('There is no fault "earthquake"');
  expect(obey("heal 02:00:00:00:00:99", find)).toContain("no sensor");
  expect(obey("fault", find)).toContain("form");
});
