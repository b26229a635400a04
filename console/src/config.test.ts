// Where the configuration comes from (SH-09).
import { expect, test } from "vitest";
import { mergeConfig } from "./config.ts";

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
