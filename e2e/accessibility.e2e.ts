// Tests every page, dialog and error state in light, in dark and on a phone (docs/rules/console.md#accessibility). There must be
// no axe violation, no target that is too small, and no horizontal scrolling at 320 px, zoomed, or with wide text spacing. `npm
// test` checks one half of the pages on the desktop in light, and the other half on a phone in dark.

import type { Page } from "@playwright/test";
import { findDialogsInSources } from "./dialogs-in-code.ts";
import { dialogsWithAddress, dialogVisits } from "./every-dialog.ts";
import { routesOf, type Visit, visitsOf } from "./every-page.ts";
import { findPageFaults } from "./faults.ts";
import { findSmallTargets, findWidthFaults } from "./measures.ts";
import { prepareLocationWithApp } from "./occupancy-app.ts";
import { waitUntilTrue } from "./rest.ts";
import { isFullRun } from "./whole.ts";
import { expect, forgetSession, test } from "./world.ts";

/** Only for tests that hang. */
const limitMs = 1_800_000;
const desk = { width: 1280, height: 900 };
const phone = { width: 320, height: 700 };
/** Screens on which only the layout is checked: 200 % zoom, tablet, large screen. */
const screens = {
  enlarged: { width: 640, height: 450 },
  tablet: { width: 820, height: 1180 },
  "4K": { width: 3840, height: 2160 },
};

/** Runs axe on the current state; `space` measures the layout. */
type Finding = {
  (place: string, look: string, rules?: string[]): Promise<void>;
  space: (place: string, look: string, by?: "mouse" | "finger") => Promise<void>;
};

/** Collects all findings, so that one run reports everything. */
function gatherer(page: Page): { found: string[]; see: Finding } {
  const found: string[] = [];
  const add = (place: string, look: string, faults: string[]) =>
    void found.push(...faults.map((fault) => `${place} (${look}) ${fault}`));
  const see = async (place: string, look: string, rules?: string[]) =>
    add(place, look, await findPageFaults(page, rules));
  const space: Finding["space"] = async (place, look, by) => {
    add(place, look, await findWidthFaults(page));
    if (by !== undefined) add(place, look, await findSmallTargets(page, by));
  };
  return { found, see: Object.assign(see, { space }) };
}

const backgroundColor = "getComputedStyle(document.body).backgroundColor";

/** axe rules whose result depends only on the theme. */
const colorRules = ["color-contrast", "link-in-text-block"];
const sizeRules = ["target-size", "scrollable-region-focusable"];

async function lookAtDesk(place: string, see: Finding): Promise<void> {
  await see(place, "light");
  await see.space(place, "light", "mouse");
}

async function paint(page: Page, place: string, theme: "light" | "dark"): Promise<void> {
  const before = JSON.stringify(await page.evaluate<string>(backgroundColor));
  await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
  // The page switches its theme with a delay.
  await waitUntilTrue(page, `${backgroundColor} !== ${before}`, `${place} turns ${theme}`);
}

/** Checks everything in light, colors also in dark, and the phone layout. */
async function lookAt(page: Page, place: string, see: Finding, onPhone?: string[]): Promise<void> {
  await lookAtDesk(place, see);
  await paint(page, place, "dark");
  await see(place, "dark", colorRules);
  await paint(page, place, "light");
  for (const [look, size] of Object.entries(screens)) {
    await page.setViewportSize(size);
    await see.space(place, look);
  }
  await lookAtPhone(page, place, see, onPhone);
  await page.setViewportSize(desk);
}

async function lookAtPhone(page: Page, place: string, see: Finding, rules?: string[]): Promise<void> {
  const putAway = await takePhone(page);
  await see(place, "phone", rules);
  await see.space(place, "phone", "finger");
  await putAway();
}

/** Emulates a phone. The returned function ends touch input, but keeps the size. */
async function takePhone(page: Page): Promise<() => Promise<void>> {
  await page.setViewportSize(phone);
  // With touch input, some controls are larger.
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 });
  await waitUntilTrue(page, `matchMedia("(pointer: coarse)").matches`, "the page is touched");
  return async () => {
    await session.send("Emulation.setTouchEmulationEnabled", { enabled: false });
    await session.detach();
  };
}

async function lead(page: Page, path: string): Promise<void> {
  await page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(path)})`);
  await waitUntilTrue(
    page,
    `__TSR_ROUTER__.state.status === "idle" && __TSR_ROUTER__.state.resolvedLocation.href === __TSR_ROUTER__.history.location.href`,
    `${path} is resolved`,
  );
}

async function arrive(page: Page): Promise<void> {
  await expect(page.getByRole("heading", { includeHidden: true }).first()).toBeAttached();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

test.beforeEach(async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize(desk);
});

test("SH-10 every address of the route table has been looked at, and no page has a violation", async ({
  page,
  apiAs,
  signIn,
  provoke,
}) => {
  test.setTimeout(limitMs);
  provoke(/status of 404 .*\/registration\/none/);
  provoke(/status of 400 .*\/report\/unsubscribe/);
  const visits = await visitsOf(await apiAs("customer"), await apiAs("support"));
  await page.goto("/login");
  const routes = await routesOf(page);
  expect(routes.length).toBeGreaterThan(50);
  expect(Object.keys(visits).toSorted(), "one visit or more for every route, and none without").toEqual(
    routes.toSorted(),
  );

  const { found, see } = gatherer(page);
  const all = Object.values(visits).flatMap((ofRoute) => (isFullRun ? ofRoute : ofRoute.slice(0, 1)));
  const visit = async ({ path, leadsTo }: Visit, mustLoad: boolean, look: (path: string) => Promise<void>) => {
    await (mustLoad || leadsTo ? page.goto(path) : lead(page, path));
    if (leadsTo) return expect(page, path).toHaveURL(leadsTo);
    await arrive(page);
    return look(path);
  };
  const walk = async (part: readonly Visit[]) => {
    if (isFullRun) {
      for (const each of part) await visit(each, true, (path) => lookAt(page, path, see));
      return;
    }
    for (const [n, each] of part.filter((_, at) => at % 2 === 0).entries())
      await visit(each, n === 0, (path) => lookAtDesk(path, see));
    await paint(page, "the walk", "dark");
    const putAway = await takePhone(page);
    for (const each of part.filter((_, at) => at % 2 === 1))
      await visit(each, false, async (path) => {
        await see(path, "phone in the dark");
        await see.space(path, "phone in the dark", "finger");
      });
    await putAway();
    await paint(page, "the walk", "light");
    await page.setViewportSize(desk);
  };
  await walk(all.filter(({ as }) => as === null));
  await signIn(page, "customer");
  await walk(all.filter(({ as }) => as === undefined));
  await signIn(page, "support");
  await walk(all.filter(({ as }) => as === "support"));
  expect(found).toEqual([]);
});

test(
  "SH-10 no dialog, drawer or menu has an accessibility violation",
  { tag: "@prove" },
  async ({ page, context, apiAs, signIn }) => {
    test.setTimeout(limitMs);
    const api = await apiAs("customer");
    const { objects } = await api.get<{ objects: { _id: string }[] }>("/api/v2/measurement?limit=1");
    const support = await apiAs("support");
    const visits = dialogVisits(api, objects[0]?._id ?? "", await prepareLocationWithApp(api, support));
    const known = [...Object.keys(dialogsWithAddress), ...visits.flatMap(({ shows }) => shows)];
    expect(known.toSorted(), "one visit for every dialog in the code, and none without").toEqual(
      (await findDialogsInSources()).toSorted(),
    );
    const routes = await visitsOf(api, support);
    expect(Object.values(dialogsWithAddress).filter((route) => !(route in routes))).toEqual([]);

    await signIn(page, "customer");
    const found: string[] = [];
    for (const { shows, phone: onPhone, provokes, open } of visits) {
      // Uses a separate page, so that dialogs don't affect each other.
      const own = await context.newPage();
      own.setDefaultTimeout(30_000);
      own.on("console", (message) => {
        if (message.type() === "error" && provokes?.test(message.text()) !== true) found.push(message.text());
      });
      await own.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await own.setViewportSize(onPhone ? phone : desk);
      const { found: here, see } = gatherer(own);
      await expect(await open(own), shows[0]).toBeVisible();
      if (onPhone) await lookAtPhone(own, shows[0] ?? "", see);
      else await lookAt(own, shows[0] ?? "", see, sizeRules);
      found.push(...here);
      await own.close();
    }
    expect(found).toEqual([]);
  },
);

const missing = "0190a000-0000-7000-8000-ffffffffffff";

test(
  "SH-10 ER-01 no error state has an accessibility violation",
  { tag: "@prove" },
  async ({ page, context, signIn, provoke }) => {
    test.setTimeout(limitMs);
    provoke(/status of 404 .*\/api\/measurement\//);
    provoke(/status of 404 .*\/api\/sensor\//);
    provoke(/status of 404 .*\/api\/artifact\//);
    provoke(/status of 500 .*\/api\/v2\/sensor/);
    provoke(/net::ERR_INTERNET_DISCONNECTED/);
    const { found, see } = gatherer(page);
    const said = async (place: string, text: string | RegExp) => {
      await expect(page.getByText(text).first(), place).toBeVisible();
      await lookAt(page, place, see);
    };
    await signIn(page, "customer");
    await page.goto("/nowhere");
    await said("an unknown address", "Page not found");
    await page.goto(`/location/${missing}/general`);
    await said("a missing location", /not found|could not be|failed/i);
    await page.goto("/sensor/02:00:00:FF:FF:FE");
    await said("a missing sensor", /not found|could not be|failed/i);
    await page.goto(`/firmware/${missing}`);
    await said("a missing firmware over its list", /not found|failed/i);

    await page.route("**/api/v2/sensor?*", (route) =>
      route.fulfill({ status: 500, json: { error: "An internal server error occured.", code: 101, requestId: "r-1" } }),
    );
    await page.goto("/sensor");
    await said("a list that can't be loaded", "An internal server error occured.");
    await page.unroute("**/api/v2/sensor?*");

    await page.goto("/role");
    await arrive(page);
    await context.setOffline(true);
    await page.evaluate("fetch('/health').catch(() => null)");
    await said("no network", "No connection to server");
    await context.setOffline(false);

    await forgetSession(page);
    await signIn(page, "noLicense");
    await page.goto("/dashboard");
    await expect(page).not.toHaveURL(/dashboard/);
    await arrive(page);
    await lookAt(page, "a page that is not allowed", see);
    await signIn(page, "readonly");
    await page.goto("/role/new");
    await said("a dialog that is not allowed", /You can not create a role|no permission/i);
    expect(found).toEqual([]);
  },
);
