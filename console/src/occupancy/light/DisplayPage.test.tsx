// Tests the door display with stubbed responses. It must never show "open" while data may be outdated.
import { beforeEach, expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import type { Display } from "@psp/contract/occupancy/occupancy.api.ts";
import { occupancyDefaults } from "@psp/contract/occupancy/occupancy-defaults.ts";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { enabledApplications, numberedId, openAppPage, shopWith } from "../occupancy.testing.ts";
import { displayWith, LightSocket } from "./socket.testing.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const shop = numberedId(6);
const signedOut: StubbedResponses = {
  "GET /api/auth/user": { status: 401, body: { error: "Not signed in", code: 106 } },
};
let keys: unknown[] = [];

function openDisplay(
  query: string,
  facts: Partial<Display> = {},
  exchange: StubbedResponse = { status: 200, body: { token: "tk" } },
) {
  return openConsole(`/display/${shop}${query}`, {
    ...signedOut,
    [`POST /api/display/${shop}`]: (body) => {
      keys.push(body);
      return exchange;
    },
    [`GET /api/display/${shop}`]: { status: 200, body: displayWith(shop, facts) },
  });
}
async function socket(nth = 1): Promise<LightSocket> {
  await expect.poll(() => LightSocket.all.length).toBeGreaterThanOrEqual(nth);
  return LightSocket.last as LightSocket;
}
const unknown = "The number of people is currently unknown. Please ask our staff.";

beforeEach(() => {
  LightSocket.all = [];
  keys = [];
  vi.stubGlobal("WebSocket", LightSocket);
});

test("OC-03 the link's key is exchanged for a token, and the light stands alone in the window", async () => {
  await openDisplay("?k=abc_def-123");
  const line = await socket();
  expect(keys).toEqual([{ k: "abc_def-123" }]);
  expect(line.address.searchParams.get("token")).toBe("tk");
  line.tell("opened", 3);
  await expect.element(page.getByText("You may enter!")).toBeVisible();
  await expect.element(page.getByText(occupancyDefaults.frontend.opened.subtitle)).toBeVisible();
  await expect.element(page.getByText("Free spaces")).toBeVisible();
  await expect.element(page.getByText("7", { exact: true })).toBeVisible();
  await expect.element(page.getByRole("heading", { level: 1, name: "Harbour Shop" })).toBeVisible();
  await expect.element(page.getByText("Always wear a mask")).toBeVisible();
  expect(page.getByRole("banner").elements()).toEqual([]);
  expect(page.getByRole("contentinfo").elements()).toEqual([]);
  expect(page.getByText("You may enter!").element().closest("[aria-live=polite]")).not.toBeNull();
  line.tell("closed", 10);
  await expect.element(page.getByText("Please wait here!")).toBeVisible();
  await expect.element(page.getByText("0", { exact: true })).toBeVisible();
  expect(page.getByText("You may enter!").elements()).toEqual([]);
});

test("OC-03 what is unknown is said in plain words, without a number", async () => {
  await openDisplay("?k=abc");
  (await socket()).tell("unknown", 4);
  await expect.element(page.getByText(unknown)).toBeVisible();
  expect(page.getByText("Free spaces").elements()).toEqual([]);
});

test(
  "OC-03 a cut line is said, and no one may enter by what was true before; back again, it is true again",
  { tags: "prove" },
  async () => {
    await openDisplay("?k=abc");
    const line = await socket();
    line.tell("opened", 3);
    await expect.element(page.getByText("You may enter!")).toBeVisible();
    line.close(1006);
    // The second socket sends no state before the grace period is over.
    await expect.element(page.getByRole("alert").getByText("Connection lost, reconnecting...")).toBeVisible();
    await expect.element(page.getByText(unknown)).toBeVisible();
    expect(page.getByText("You may enter!").elements()).toEqual([]);
    (await socket(2)).tell("opened", 4);
    await expect.element(page.getByText("You may enter!")).toBeVisible();
    expect(page.getByRole("alert").elements()).toEqual([]);
  },
);

test("OC-03 opened again it needs no key, and one from a new link replaces what was kept", async () => {
  const first = await openDisplay("?k=old");
  await socket();
  await first.screen.unmount();
  LightSocket.all = [];
  const second = await openDisplay("");
  expect((await socket()).address.searchParams.get("token")).toBe("tk");
  expect(keys).toEqual([{ k: "old" }]);
  await second.screen.unmount();
  LightSocket.all = [];
  await openDisplay("?k=new");
  await socket();
  expect(keys).toEqual([{ k: "old" }, { k: "new" }]);
});

test.each([
  ["a wrong or revoked key", "?k=wrong"],
  ["no key at all", ""],
])("OC-03 %s gets a page that says so, and no light", async (_, query) => {
  await openDisplay(query, {}, { status: 401, body: { code: 200, error: "Unauthorized" } });
  await expect.element(page.getByRole("heading", { level: 1, name: "This link does not work" })).toBeVisible();
  await expect.element(page.getByText(/Ask for a new link/)).toBeVisible();
  expect(LightSocket.all).toEqual([]);
});

test(
  "OC-03 revoked while it is open it lets no one in any more, and does not help itself to another token",
  { tags: "prove" },
  async () => {
    let answer: StubbedResponse = { status: 200, body: displayWith(shop) };
    await openConsole(`/display/${shop}?k=abc`, {
      ...signedOut,
      [`POST /api/display/${shop}`]: (body) => {
        keys.push(body);
        return { status: 200, body: { token: "tk" } };
      },
      [`GET /api/display/${shop}`]: () => answer,
    });
    const line = await socket();
    line.tell("opened", 3);
    await expect.element(page.getByText("You may enter!")).toBeVisible();
    answer = { status: 401, body: { code: 106, error: "Unauthorized access." } };
    line.close(4401);
    await expect.element(page.getByRole("heading", { level: 1, name: "This link does not work" })).toBeVisible();
    expect(keys).toHaveLength(1);
    expect(localStorage.getItem(`psp-display-${shop}`)).toBeNull();
  },
);

test("OC-03 switched off it says so", async () => {
  await openDisplay("?k=abc", { enabled: false });
  await expect.element(page.getByText(/This display is turned off\./)).toBeVisible();
});

test("OC-03 the display shows the count instead of free spaces if configured, and only enabled rules", async () => {
  const [distance, ...others] = occupancyDefaults.frontend.restrictions;
  const restrictions = [...others.map((rule) => ({ ...rule, active: false })), distance as (typeof others)[number]];
  await openDisplay("?k=abc", { frontend: { ...occupancyDefaults.frontend, showNumberOfPeople: true, restrictions } });
  (await socket()).tell("opened", 1234, 5000);
  await expect.element(page.getByText("People inside")).toBeVisible();
  await expect.element(page.getByText("1,234")).toBeVisible();
  await expect.element(page.getByText("Maintain a distance of at least 1.5 m")).toBeVisible();
  expect(page.getByText("Always wear a mask").elements()).toEqual([]);
});

const screens = [
  ["a tablet", 1024, 768],
  ["a tablet held upright", 768, 1024],
  ["a phone", 390, 844],
  ["a phone on its side", 844, 390],
] as const;
const longest = {
  opened: { title: "Please all come here", subtitle: "x ".repeat(35), color: "#ffee00" },
  closed: { title: "W".repeat(20), subtitle: "W".repeat(70), color: "#101010" },
  logo: "",
  freeSpacesText: "So many people may still enter right now",
  showNumberOfPeople: false,
  restrictionTitle: "Rules of this house!",
  restrictions: Array.from({ length: 20 }, () => ({
    name: "Mask",
    active: true,
    message: "Keep a distance of at least one and a ha",
  })),
};

/** Elements of the light that are not fully inside the window. */
const cutOff = () =>
  [...document.querySelectorAll("[data-state] *")].filter((part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1;
  });

test.each(everyNth(2, screens))(
  "OC-03 on %s the title is large, and nothing is cut off, however long the words are",
  async (_, width, height) => {
    await page.viewport(width, height);
    try {
      const { screen } = await openDisplay("?k=abc");
      (await socket()).tell("closed", 10);
      const title = page.getByText("Please wait here!");
      await expect.element(title).toBeVisible();
      await expect.poll(cutOff).toEqual([]);
      expect(Number.parseFloat(getComputedStyle(title.element()).fontSize)).toBeGreaterThan(
        Math.min(width, height) / 12,
      );
      await screen.unmount();
      LightSocket.all = [];
      await openDisplay("?k=abc", { frontend: longest });
      for (const [state, count] of [
        ["closed", 10],
        ["opened", 3],
      ] as const) {
        (await socket()).tell(state, count, 1_000_000);
        await expect.element(page.getByText(longest[state].title)).toBeVisible();
        await expect.poll(cutOff).toEqual([]);
      }
    } finally {
      await page.viewport(1280, 800);
    }
  },
);

test(
  "OC-03 the live preview shows the light by a ticket; closing it returns to the form",
  { tags: "prove" },
  async () => {
    const { opened } = openAppPage("/occupancy/live", shopWith({ applications: enabledApplications }), {
      more: {
        "POST /api/auth/ticket": { status: 200, body: { ticket: "one-time", expiresAt: "2030-01-01T00:00:00Z" } },
        [`GET /api/display/${shop}`]: { status: 200, body: displayWith(shop) },
      },
    });
    const { address } = await opened;
    const line = await socket();
    expect(line.address.searchParams.get("token")).toBe("one-time");
    line.tell("opened", 3);
    const dialog = page.getByRole("dialog", { name: "Live preview" });
    await expect.element(dialog.getByText("You may enter!")).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.poll(address).toBe(`/location/${shop}/apps/occupancy`);
    await expect.poll(() => line.isClosed).toBe(true);
  },
);
