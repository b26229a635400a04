// The API documentation page loads only from this server and shows every call and every error code.
import { calls } from "@psp/contract/api.ts";
import { errorEntries } from "@psp/contract/errors.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type World } from "../testing/world.ts";

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world.stop());

const get = async (path: string) => {
  const reply = await fetch(world.url + path);
  return {
    type: reply.headers.get("content-type"),
    policy: reply.headers.get("content-security-policy"),
    text: await reply.text(),
  };
};

test("the API reference runs only external scripts of this server, under the policy of all pages", async () => {
  const { type, policy, text } = await get("/api/docs");
  expect(type).toBe("text/html; charset=utf-8");
  expect(policy).toMatch(/script-src 'self' [^;]*;/);
  const scripts = [...text.matchAll(/<script\b([^>]*)>([^<]*)/g)].map(([, where, inside]) => [where, inside]);
  expect(scripts).toEqual([
    [' src="/api/docs/scalar.js"', ""],
    [' src="/api/docs/start.js"', ""],
  ]);
  expect(text).not.toMatch(/https?:/);
});

test("the API reference works offline and contains every call and every error code", async () => {
  const [reader, start] = await Promise.all([get("/api/docs/scalar.js"), get("/api/docs/start.js")]);
  expect([reader.type, start.type]).toEqual(Array(2).fill("text/javascript; charset=utf-8"));
  expect(reader.text).toContain("createApiReference");
  for (const { name } of calls) expect(start.text).toContain(`"operationId":"${name}"`);
  for (const { code } of errorEntries) expect(start.text).toContain(`| ${code} | `);
});
