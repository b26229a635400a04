// Tests the precedence of configuration sources (SH-09).
import { expect, test } from "vitest";
import { serverUrl } from "./server-address.ts";
import { mergeConfig, supportAddress } from "./config.ts";

test("SH-09 the hosting page's values win one by one, the build's fill the rest", () => {
  const built = mergeConfig(undefined);
  expect(built.pageSize).toBe(50);
  expect(built.links.export).toBeNull();
  const links = { export: "https://export.example.com", buildings: null } as never;
  const merged = mergeConfig({ pageSize: 20, links });
  expect(merged.pageSize).toBe(20);
  expect(merged.connectionTimeoutHours).toBe(built.connectionTimeoutHours);
  expect(merged.links.export).toBe("https://export.example.com");
  expect(merged.links.designer).toBe(built.links.designer);
});

test("SH-09 calls, counts and sockets have roots: those of the page, else of the build, else none", () => {
  const built = mergeConfig(undefined);
  expect(serverUrl("/api/auth/user", built)).toBe("/api/auth/user");
  const page = mergeConfig({ apiRoot: "https://api.example.com/v" });
  expect(serverUrl("/api/auth/user", page)).toBe("https://api.example.com/v/api/auth/user");
  expect(serverUrl("/health", page)).toBe("https://api.example.com/v/health");
  expect(serverUrl("/live", page)).toBe("https://api.example.com/v/live");
  const both = mergeConfig({ apiRoot: "/a", dataRoot: "https://data.example.com" });
  expect(serverUrl("/live/occupancy/1", both)).toBe("https://data.example.com/live/occupancy/1");
  expect(serverUrl("/data/v2/download/csv", both)).toBe("https://data.example.com/data/v2/download/csv");
  expect(serverUrl("/api/v2/counts/total", both)).toBe("/a/api/v2/counts/total");
});

test("SH-09 a key that the page leaves empty comes from the build, a false or zero of the page stays", () => {
  const built = mergeConfig(undefined);
  const given = {
    deviceLinkRoot: "",
    autoLogin: { edit: "writer" },
    pageSize: null,
    publicUrl: undefined,
    demo: false,
  };
  expect(mergeConfig(given as never)).toEqual({ ...built, autoLogin: { ...built.autoLogin, edit: "writer" } });
  expect(mergeConfig({ pageSize: 0, session: false })).toMatchObject({ pageSize: 0, session: false });
});

test("the support's address carries the request that failed, in whatever form the address is", () => {
  expect(supportAddress(null, "https://help.example.com/")).toBe("https://help.example.com/");
  expect(supportAddress("a b&c", "https://help.example.com/new")).toBe(
    "https://help.example.com/new?request=a%20b%26c",
  );
  expect(supportAddress("r-1", "https://help.example.com/?form=7#top")).toBe(
    "https://help.example.com/?form=7&request=r-1#top",
  );
  expect(supportAddress("r-1", "mailto:help@example.com")).toBe("mailto:help@example.com?subject=Request%20r-1");
  expect(supportAddress("r-1", null)).toBeNull();
});
