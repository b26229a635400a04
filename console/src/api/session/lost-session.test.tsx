// Tests a session that ends during work. The form stays, a login dialog opens, and the save is repeated.
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { queryClient } from "../query-client.ts";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { plainAccount } from "../../testing/objects.ts";
import { waitForAppearance } from "../../testing/shown.ts";
import {
  allPermissions,
  ids,
  ownAccount,
  sensorApiPath,
  sensorWith,
  createServerStub,
} from "../../sensor/sensor.testing.ts";

const over: StubbedResponse = { status: 401, body: { code: 106, error: "Unauthorized access." } };
const words = "Your session has ended. Log in to go on.";
const general = `/sensor/aps/${ids.sensor}/general`;
const dialog = () => page.getByRole("dialog", { name: "Log in again" });
const bar = () => page.getByRole("region", { name: "Unsaved changes" });
const me = { ...ownAccount, permissions: allPermissions, email: "me@example.com" };

/** Opens a sensor form whose session ends after loading. A login as `user` restores it. */
async function open(user: object = me, more: StubbedResponses = {}) {
  const sensor = sensorWith({});
  const server = { isOver: false, saves: [] as { body: unknown; key: string | null }[], logins: [] as unknown[] };
  const guarded = (answer: StubbedResponse) => () => (server.isOver ? over : answer);
  const { screen, address } = await openConsole(
    general,
    createServerStub(sensor, allPermissions, {
      "GET /api/auth/user": () => (server.isOver ? over : { status: 200, body: server.logins.length > 0 ? user : me }),
      "POST /api/auth/login": (sent) => {
        server.logins.push(sent);
        server.isOver = false;
        return { status: 200, body: { token: "t", expiresAt: "2030-01-01T00:00:00.000Z", user } };
      },
      [`PUT ${sensorApiPath}`]: (body) => {
        if (server.isOver) return over;
        server.saves.push({ body, key: null });
        return { status: 200, body: { ...sensor, groups: ["north"], version: 2 } };
      },
      [`GET ${sensorApiPath}`]: guarded({ status: 200, body: sensor }),
      ...more,
    }),
  );
  const keys: (string | null)[] = [];
  const inner = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    if (init?.method === "PUT") keys.push(new Headers(init.headers).get("idempotency-key"));
    return inner(input, init);
  };
  await expect.element(page.getByLabelText("Groups")).toBeVisible();
  await userEvent.fill(page.getByLabelText("Groups"), "north");
  await userEvent.keyboard("{Enter}");
  await expect.element(bar()).toBeVisible();
  return { screen, address, server, keys };
}

const logIn = async () => {
  await userEvent.fill(dialog().getByLabelText("Password", { exact: true }), "violet");
  await dialog().getByRole("button", { name: "Log in" }).click();
};

test("AU-08 a save without session opens the login over the form and is repeated with the same key", async () => {
  const { server, keys, address } = await open();
  server.isOver = true;
  await bar().getByRole("button", { name: "Save" }).click();
  await expect.element(dialog().getByText(words)).toBeVisible();
  await expect.element(dialog().getByLabelText("Email")).toHaveValue("me@example.com");
  await expect.poll(address).toBe(general);
  const saved = waitForAppearance(page.getByText("Saved", { exact: true }));
  await logIn();
  await expect.poll(() => server.saves.map(({ body }) => body)).toEqual([{ groups: ["north"] }]);
  await expect.element(dialog()).not.toBeInTheDocument();
  await saved;
  expect(server.logins).toEqual([{ email: "me@example.com", password: "violet" }]);
  expect(keys).toHaveLength(2);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[1]).toBe(keys[0]);
});

test(
  "AU-08 who closes the login keeps the form with its input, and the next save asks again",
  { tags: "prove" },
  async () => {
    const { server } = await open();
    server.isOver = true;
    await bar().getByRole("button", { name: "Save" }).click();
    await dialog().getByRole("button", { name: "Close" }).click();
    await expect.element(dialog()).not.toBeInTheDocument();
    await expect.element(page.getByText("north", { exact: true })).toBeVisible();
    await expect.element(page.getByRole("alert").filter({ hasText: words })).toBeVisible();
    // Background requests must not open the login again.
    await queryClient.invalidateQueries();
    await expect.element(dialog()).not.toBeInTheDocument();
    await bar().getByRole("button", { name: "Save" }).click();
    await expect.element(dialog()).toBeVisible();
  },
);

test("AU-08 what a page asks by itself ends no form that holds input: the login opens over that, too", async () => {
  const { server, address } = await open();
  server.isOver = true;
  await queryClient.invalidateQueries();
  await expect.element(dialog().getByText(words)).toBeVisible();
  await expect.poll(address).toBe(general);
  await logIn();
  await expect.element(dialog()).not.toBeInTheDocument();
  await bar().getByRole("button", { name: "Save" }).click();
  await expect.poll(() => server.saves.length).toBe(1);
});

test("AU-09 signing in with another account saves nothing of the previous one and says so", async () => {
  const other = {
    ...plainAccount({ _id: "00000000-0000-7000-8000-0000000000ff", name: "Museum" }),
    parentAccounts: [],
  };
  const { server } = await open({ ...other, permissions: allPermissions, email: "museum@example.com" });
  server.isOver = true;
  await bar().getByRole("button", { name: "Save" }).click();
  await userEvent.fill(dialog().getByLabelText("Email"), "museum@example.com");
  await expect.element(dialog().getByText(/If you log in with another account/)).toBeVisible();
  await logIn();
  const said = page.getByRole("alert").filter({ hasText: "You are now logged in as Museum." });
  await expect.element(said.first()).toBeVisible();
  await expect.element(page.getByLabelText("Groups")).toBeVisible();
  await expect.element(page.getByText("north", { exact: true })).not.toBeInTheDocument();
  expect(server.saves).toEqual([]);
});
