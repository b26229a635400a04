// Tests how clicks on column titles sort a list.
import { expect, test } from "vitest";
import { nextSort, type Sort } from "./columns.ts";

const up = (id: string) => ({ id, desc: false });
const down = (id: string) => ({ id, desc: true });

test.each<[what: string, before: Sort, adds: boolean, after: Sort]>([
  ["a first click sorts ascending", [], false, [up("a")]],
  ["a second click sorts descending", [up("a")], false, [down("a")]],
  ["a third click sorts by nothing", [down("a")], false, []],
  ["a click drops the other columns", [up("b"), down("c")], false, [up("a")]],
  ["a click on one of several turns it and drops the others", [up("b"), up("a")], false, [down("a")]],
  ["a click on the last of its turns drops the others, too", [up("b"), down("a")], false, []],
  ["Shift adds a column at the end", [up("b")], true, [up("b"), up("a")]],
  ["Shift turns a column in its place", [up("a"), down("b")], true, [down("a"), down("b")]],
  ["Shift takes a column out", [down("a"), up("b")], true, [up("b")]],
  ["Shift without a sort sorts", [], true, [up("a")]],
])("%s", (_what, before, adds, after) => {
  expect(nextSort(before, "a", adds)).toEqual(after);
});
