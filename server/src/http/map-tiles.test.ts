// The configured map tile server reaches the console and its Content-Security-Policy; no other server is allowed.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { ConfigError } from "../environment.ts";
import { createWorld } from "../testing/world.ts";

const DATA_DIR = mkdtempSync(join(tmpdir(), "psp-tiles-"));
const tileUrl = "https://tiles.example.com/{z}/{x}/{y}.png";

test.each(["tiles", "ftp://tiles.example.com/{z}/{x}/{y}", "https://tiles.example.com/{z}/{x}.png"])(
  "MAP_TILE_URL=%s ends the start with a sentence",
  (MAP_TILE_URL) => {
    expect(() => readConfig({ DATA_DIR, MAP_TILE_URL })).toThrow(ConfigError);
  },
);

test("LO-02 maps need no other host unless a tile server is configured", async () => {
  const world = await createWorld();
  try {
    const answer = async (path: string) => fetch(world.url + path);
    const policyOf = async () => (await answer("/api/docs")).headers.get("content-security-policy") ?? "";
    expect(await policyOf()).toMatch(/connect-src 'self';/);
    expect(await policyOf()).toMatch(/worker-src 'self' blob:/);
    expect(await (await answer("/config.js")).text()).toContain('"map":{"tileUrl":null,"attribution":null}');
  } finally {
    await world.stop();
  }
  const mapped = await createWorld({ env: { MAP_TILE_URL: tileUrl, MAP_ATTRIBUTION: "Example Maps" } });
  try {
    const reply = await fetch(`${mapped.url}/api/docs`);
    const policy = reply.headers.get("content-security-policy");
    expect(policy).toMatch(/connect-src 'self' https:\/\/tiles\.example\.com;/);
    expect(policy).toMatch(/img-src 'self' data: blob: https: https:\/\/tiles\.example\.com;/);
    const config = await (await fetch(`${mapped.url}/config.js`)).text();
    expect(config).toContain(`"map":{"tileUrl":"${tileUrl}","attribution":"Example Maps"}`);
  } finally {
    await mapped.stop();
  }
});
