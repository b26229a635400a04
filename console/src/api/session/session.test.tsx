// Tests which session requests the console makes when it starts (AU-08).
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { afterEach, expect, test, vi } from "vitest";
import { config } from "../config.ts";
import { type StubbedResponses, notFound, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainLocation } from "../../testing/objects.ts";

afterEach(() => {
  config.session = null;
  SpokenFor.last = null;
});

async function open(session: boolean | null) {
  config.session = session;
  const asked: string[] = [];
  const note = (call: string) => () => {
    asked.push(call);
    return { status: 401, body: { code: 106, error: "Unauthorized access." } };
  };
  const calls = ["GET /api/auth/user", "POST /api/auth/ticket"];
  const answers: StubbedResponses = Object.fromEntries(calls.map((call) => [call, note(call)]));
  return { ...(await openConsole("/location", answers)), asked };
}

test("AU-08 a person known to be signed out is led to the login without a single call", async () => {
  // As left over from an incomplete logout.
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

const me = plainAccount({ _id: "00000000-0000-7000-8000-000000000001", name: "Harbour", parentAccounts: ["r"] });
const below = { me: true, myChildren: true };
const porter: Permissions = { owner: { canViewOwner: below }, ownable: { measurement: { canViewObject: below } } };
const chief: Permissions = { ...porter, ownable: { ...porter.ownable, sensor: { canViewObject: below } } };

class SpokenFor extends EventTarget {
  static last: SpokenFor | null = null;
  constructor() {
    super();
    SpokenFor.last = this;
    queueMicrotask(() => this.dispatchEvent(new Event("open")));
  }
  close() {}
  send() {}
  say(message: object) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
}

test.each<[string, object]>([
  ["a message about the own account", { type: "account", op: "update", obj: { _id: me._id }, seq: 2, cursor: "c2" }],
  ["the word that something was missed", { type: "resync", seq: 2, cursor: "c2" }],
])(
  "AU-09 when the own role changes, announced by %s, menus follow and what is shown is fetched again",
  async (_, message) => {
    vi.stubGlobal("WebSocket", SpokenFor);
    let permissions = porter;
    let listed = 0;
    const hall = { _id: "00000000-0000-7000-8000-000000000002", name: "Hall" };
    const owner = { _id: me._id, name: me.name, isDeleted: false };
    const { screen } = await openConsole("/location", {
      "GET /api/auth/user": () => ({ status: 200, body: { ...me, permissions, email: "me@example.com" } }),
      "POST /api/auth/ticket": { status: 200, body: { ticket: "t", expiresAt: "2030-01-01T00:00:00.000Z" } },
      "GET /api/v2/measurement": () => {
        listed += 1;
        return listResponse([
          plainLocation({ ...hall, owner, name: permissions === chief ? "Hall of the chief" : "Hall" }),
        ]);
      },
      "GET /api/account": notFound,
    });
    await expect.element(screen.getByText("Hall", { exact: true }).first()).toBeVisible();
    await expect.poll(() => SpokenFor.last).not.toBeNull();
    const menu = screen.getByRole("navigation", { name: "Main" });
    expect(menu.getByRole("link", { name: "Sensors" }).elements()).toEqual([]);
    const before = listed;
    permissions = chief;
    SpokenFor.last?.say(message);
    await expect.element(menu.getByRole("link", { name: "Sensors" })).toBeVisible();
    await expect.element(screen.getByText("Hall of the chief").first()).toBeVisible();
    expect(listed).toBeGreaterThan(before);
  },
);
