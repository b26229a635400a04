// Tests the command palette with stubbed responses.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainFirmware, plainLocation, plainSensor } from "../../testing/objects.ts";

const self = plainAccount({
  _id: "00000000-0000-4000-8000-000000000002",
  name: "Self",
  parentAccounts: ["00000000-0000-4000-8000-000000000001"],
});
const owner = { _id: self._id, name: "Self", isDeleted: false };
const location = plainLocation({ _id: "00000000-0000-4000-8000-00000000000c", name: "Quay shop", owner });

function answers(permissions: Permissions, asked: string[] = []): StubbedResponses {
  const found = (noun: string, objects: { _id: string; name?: string }[]) => (_: unknown, query: URLSearchParams) => {
    const text = query.get("name") ?? query.get("sensorID");
    if (text !== null) asked.push(`${noun} ${text}`);
    const plain = (one: string) => one.toLowerCase().replaceAll(":", "");
    return listResponse(objects.filter((one) => plain(one.name ?? one._id).includes(plain(text ?? ""))));
  };
  return {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions, email: "self@example.com" } },
    "GET /api/account": found("account", [self]),
    "GET /api/v2/measurement": found("location", [location]),
    "GET /api/v2/sensor": found("sensor", [plainSensor({ _id: "00:1E:C0:AA:BB:CC", owner })]),
    "GET /api/role": found("role", []),
    "GET /api/artifact": found("firmware", [
      plainFirmware({ _id: "00000000-0000-4000-8000-00000000000f", name: "9.9.0", owner }),
    ]),
  };
}

test("the button 'Search' opens it; what the account may do is offered, what it may not is missing", async () => {
  const { screen, address } = await openConsole("/privacy", answers(fullPermissions));
  await screen.getByRole("button", { name: "Search", exact: true }).click();
  const dialog = screen.getByRole("dialog", { name: "Search" });
  for (const name of ["Register sensors", "Create location", "Compare counts", "Create role", "Log out"])
    await expect.element(dialog.getByRole("option", { name, exact: true })).toBeInTheDocument();
  await userEvent.keyboard("compare{Enter}");
  await expect.poll(address).toBe("/location/counts");
  await screen.unmount();
  const poor = await openConsole("/privacy", answers({ owner: { canViewOwner: { me: true } } }));
  await poor.screen.getByRole("button", { name: "Search", exact: true }).click();
  await expect.element(poor.screen.getByRole("option", { name: "Log out" })).toBeInTheDocument();
  for (const name of ["Create location", "Compare counts", "Create role"])
    expect(poor.screen.getByRole("option", { name, exact: true }).elements()).toHaveLength(0);
});

test("what the server finds by a tag is shown, and goes when one types on", async () => {
  const { screen } = await openConsole("/privacy", {
    ...answers(fullPermissions),
    "GET /api/v2/measurement": (_, query) => listResponse(query.get("name") === "riverside" ? [location] : []),
  });
  await screen.getByRole("button", { name: "Search", exact: true }).click();
  const field = screen.getByRole("combobox", { name: "Search" });
  await field.fill("riverside");
  const shop = screen.getByRole("option", { name: /Quay shop/ });
  await expect.element(shop).toBeVisible();
  await field.fill("riversides");
  await expect.element(shop).not.toBeInTheDocument();
});

test(
  "it asks once the typing rests, marks what matches, and says when nothing does, with a way on",
  { tags: "prove" },
  async () => {
    const asked: string[] = [];
    const { screen } = await openConsole("/privacy", answers(fullPermissions, asked));
    await screen.getByRole("button", { name: "Search", exact: true }).click();
    // Filled at once, because on a slow machine a pause between keys would trigger a request.
    await screen.getByRole("combobox", { name: "Search" }).fill("c0aa");
    const sensor = screen.getByRole("option", { name: /00:1E:C0:AA:BB:CC/ });
    await expect.element(sensor).toBeVisible();
    expect(sensor.element().querySelector("mark")?.textContent).toBe("C0:AA");
    expect(asked.filter((one) => one.startsWith("sensor"))).toEqual(["sensor c0aa"]);
    await userEvent.keyboard("9x");
    await expect.element(screen.getByText("Nothing found for “c0aa9x”. You can also go to").first()).toBeVisible();
    await expect.element(screen.getByRole("option", { name: "Locations" })).toBeVisible();
  },
);

test("what was opened last comes first while nothing is typed", async () => {
  localStorage.setItem(`psp-recent-${self._id}`, JSON.stringify([{ type: "measurement", id: location._id }]));
  const { screen } = await openConsole("/privacy", answers(fullPermissions));
  await screen.getByRole("button", { name: "Search", exact: true }).click();
  await expect.element(screen.getByRole("option", { name: /Quay shop/ })).toBeVisible();
  expect(screen.getByRole("option").elements()[0]?.textContent).toContain("Quay shop");
});
