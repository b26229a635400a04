// Where the configuration comes from (SH-09).
import { expect, test } from "vitest";
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
