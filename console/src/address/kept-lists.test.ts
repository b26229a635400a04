// What a browser keeps of its lists: order and view, each for itself, and nothing that others wrote there.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepList, keptOf } from "./kept-lists.ts";

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
  keepList("/account", { sortBy: ["name"], sortDesc: ["true"], viewType: "list", name: "a", skip: "20" });
  keepList("/sensor", { sortBy: ["type"] });
  expect(keptOf("/account/0a", {})).toEqual({ sortBy: ["name"], sortDesc: ["true"], viewType: "list" });
  expect(keptOf("/sensor", {})).toEqual({ sortBy: ["type"] });
  expect(keptOf("/location", {})).toEqual({});
  keepList("/account", {});
  keepList("/sensor", {});
  expect([...stored]).toEqual([]);
});

test("what the address says wins, order and view each for itself", () => {
  keepList("/account", { sortBy: ["name"], sortDesc: ["true"], viewType: "list" });
  expect(keptOf("/account", { sortBy: "role" })).toEqual({ viewType: "list" });
  expect(keptOf("/account", { viewType: "tree", name: "x" })).toEqual({ sortBy: ["name"], sortDesc: ["true"] });
});

test.each(["{", "null", "7", '{"/sensor":null}', '{"/sensor":{"sortBy":7,"viewType":["x",{}],"name":"y"}}'])(
  "a storage with %s keeps nothing, and can be written",
  (text) => {
    stored.set("psp-lists", text);
    expect(keptOf("/sensor", {})).toEqual({});
    keepList("/sensor", { sortBy: ["type"] });
    expect(keptOf("/sensor", {})).toEqual({ sortBy: ["type"] });
  },
);
