// The start of the console: whom it asks, and when it asks nobody (AU-08).
import { afterEach, expect, test } from "vitest";
import { config } from "../config.ts";
import { type Answers, openConsole } from "../testing/console.tsx";

afterEach(() => {
  config.session = null;
});

/** Opens a page behind the sign-in, and notes what was asked. */
async function open(session: boolean | null) {
  config.session = session;
  const asked: string[] = [];
  const note = (call: string) => () => {
    asked.push(call);
    return { status: 401, body: { code: 106, error: "Unauthorized access." } };
  };
  const calls = ["GET /api/auth/user", "POST /api/auth/ticket"];
  const answers: Answers = Object.fromEntries(calls.map((call) => [call, note(call)]));
  return { ...(await openConsole("/location", answers)), asked };
}

test("AU-08 whoever is known to be signed out is led to the login without a single call", async () => {
  // Left over from a logout whose session ended some other way.
  localStorage.setItem("psp-leaving", "1");
  const { address, asked, screen } = await open(false);
  await expect.poll(address).toBe("/login?from=/location");
  await expect.element(screen.getByRole("button", { name: "Login" })).toBeVisible();
  expect(asked).toEqual([]);
  expect(localStorage.getItem("psp-leaving")).toBeNull();
});

test.each([[true], [null]])("AU-08 with %s the server is asked, and believed", async (session) => {
  const { address, asked } = await open(session);
  await expect.poll(address).toBe("/login?from=/location");
  expect(asked).toEqual(["GET /api/auth/user"]);
});
