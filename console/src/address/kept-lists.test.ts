// Tests that order and view are stored per list, and that invalid content of the storage is ignored.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { storeListState, readListState } from "./kept-lists.ts";

const stored = new Map<string, string>();
beforeEach(() => {
  stored.clear();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  });
});

afterEach(() => void vi.unstubAllGlobals());

test("order and view are kept for each list, without filters and page, until they are the default again", () => {
  storeListState("/account", { sortBy: ["name"], sortDesc: ["true"], viewType: "list", name: "a", skip: "20" });
  storeListState("/sensor", { sortBy: ["type"] });
  expect(readListState("/account/0a", {})).toEqual({ sortBy: ["name"], sortDesc: ["true"], viewType: "list" });
  expect(readListState("/sensor", {})).toEqual({ sortBy: ["type"] });
  expect(readListState("/location", {})).toEqual({});
  storeListState("/account", {});
  storeListState("/sensor", {});
  expect([...stored]).toEqual([]);
});

test("what the address says wins, order and view each for itself", () => {
  storeListState("/account", { sortBy: ["name"], sortDesc: ["true"], viewType: "list" });
  expect(readListState("/account", { sortBy: "role" })).toEqual({ viewType: "list" });
  expect(readListState("/account", { viewType: "tree", name: "x" })).toEqual({
    sortBy: ["name"],
    sortDesc: ["true"],
  });
});

test.each(["{", "null", "7", '{"/sensor":null}', '{"/sensor":{"sortBy":7,"viewType":["x",{}],"name":"y"}}'])(
  "a storage with %s keeps nothing, and can be written",
  (text) => {
    stored.set("psp-lists", text);
    expect(readListState("/sensor", {})).toEqual({});
    storeListState("/sensor", { sortBy: ["type"] });
    expect(readListState("/sensor", {})).toEqual({ sortBy: ["type"] });
  },
);
