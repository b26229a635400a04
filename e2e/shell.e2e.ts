// Tests header, tabs, footer and redirects for different users (SH-01 to SH-10).

import type { Page } from "@playwright/test";
import { findConnectedSensor } from "./simulated-sensor.ts";
import { expect, forgetSession, personas, test, typeLogin } from "./world.ts";

const tabs = (page: Page) => page.getByRole("navigation", { name: "Main" }).getByRole("link");

test(
  "SH-01 the header is away on the login screen, and the query stays when the footer is used",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await page.goto("/login");
    await expect(page.getByRole("heading", { name: "Welcome to PS.Platform" })).toBeVisible();
    await expect(page.getByRole("banner")).toHaveCount(0);
    await signIn(page, "customer");
    await page.goto("/sensor?sensorType=APS&campaign=7");
    await expect(page.getByRole("button", { name: "Account menu" })).toBeVisible();
    await page.getByRole("contentinfo").getByRole("link", { name: "Imprint" }).click();
    await expect(page).toHaveURL("/impressum?sensorType=APS&campaign=7");
    await page.goBack();
    await page.getByRole("link", { name: "Locations", exact: true }).click();
    await expect(page).toHaveURL("/location?campaign=7");
  },
);

test("SH-03 SH-10 the drawer has the sibling applications; the name and a wrong address lead home", async ({
  page,
  signIn,
}) => {
  await signIn(page, "customer");
  await page.goto("/myaccount");
  await page.getByRole("button", { name: "Apps" }).click();
  const drawer = page.getByRole("dialog", { name: "Applications" });
  await expect(drawer.getByRole("link", { name: "Export" })).toHaveAttribute("href", "https://export.example.com");
  await expect(drawer.getByRole("link", { name: "Buildings" })).toHaveAttribute(
    "href",
    "https://buildings.example.com",
  );
  await expect(drawer.getByRole("link", { name: "Designer" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "PS.Platform" }).click();
  await expect(page).toHaveURL("/location");
  await page.goto("/sensor/no-such-thing/at/all");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await page.getByRole("link", { name: "Go to the home page" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test(
  "ER-04 a page whose code can't be fetched says so, and comes once 'Reload' is pressed",
  { tag: "@prove" },
  async ({ page, signIn, provoke }) => {
    provoke(/ERR_FAILED/);
    provoke(/ChunkError: Loading chunk RolesPage failed/);
    await signIn(page, "customer");
    const ofRoles = /\/assets\/RolesPage-/;
    await page.route(ofRoles, (route) => route.abort());
    await page.goto("/role");
    await expect(page.getByText("Loading chunk RolesPage failed")).toBeVisible();
    await page.unroute(ofRoles);
    await page.getByRole("button", { name: "Reload" }).click();
    await expect(page.getByRole("grid").or(page.getByRole("table")).first()).toBeVisible();
  },
);

test("SH-04 everybody gets the tabs that their rights give them", { tag: "@prove" }, async ({ page, signIn }) => {
  await signIn(page, "customer");
  await page.goto("/location");
  await expect(tabs(page)).toHaveText([
    "Dashboard",
    "Locations",
    "Sensors",
    "Init Tokens",
    "Firmware",
    "Accounts",
    "Roles",
    "Support",
  ]);
  await expect(page.getByRole("link", { name: "Dashboard" })).not.toHaveAttribute("aria-disabled");
  await signIn(page, "readonly");
  await page.goto("/location");
  await expect(tabs(page)).toHaveText(["Dashboard", "Locations", "Sensors", "Firmware", "Accounts", "Support"]);
  await signIn(page, "noLicense");
  await page.goto("/location");
  const dashboard = page.getByRole("link", { name: "Dashboard" });
  await expect(dashboard).toHaveAttribute("aria-disabled", "true");
  await dashboard.focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
  await expect(page.getByRole("tooltip")).toHaveText(
    "Purchase a sensor monitoring license for at least 1 sensor to enable the dashboard",
  );
});

test("SH-05 the phone's menu repeats the entries, toggles, and closes when one goes somewhere", async ({
  page,
  signIn,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await signIn(page, "readonly");
  await page.goto("/location");
  const menu = page.getByRole("button", { name: "Menu", exact: true });
  await menu.click();
  await expect(tabs(page)).toHaveText(["Dashboard", "Locations", "Sensors", "Firmware", "Accounts", "Support"]);
  await menu.click();
  await expect(tabs(page)).toHaveCount(0);
  await menu.click();
  await tabs(page).filter({ hasText: "Sensors" }).click();
  await expect(page).toHaveURL("/sensor");
  await expect(tabs(page)).toHaveCount(0);
});

test("SH-06 SH-08 signed out there are legal pages and a Login button, signed in a menu with the way out", async ({
  page,
  signIn,
}) => {
  await page.goto("/login");
  const footer = page.getByRole("contentinfo");
  await expect(footer).toContainText(/© \d{4} /);
  for (const [link, heading] of [
    ["Privacy", "Data protection policy"],
    ["Licenses", "Licenses"],
    ["Imprint", "Imprint"],
  ] as const) {
    await footer.getByRole("link", { name: link }).click();
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
  }
  await page.getByRole("link", { name: "Login" }).click();
  await expect(page).toHaveURL("/login");
  await signIn(page, "readonly");
  await page.goto("/impressum");
  await page.getByRole("button", { name: "Account menu" }).click();
  const menu = page.getByRole("menu", { name: "Account menu" });
  await expect(menu).toContainText(personas.readonly.account);
  await expect(menu).toContainText("Viewer");
  await expect(menu).toContainText(/PS\.P_v\d+\.\d+\.\d+/);
  await menu.getByRole("menuitem", { name: "Account Info" }).click();
  await expect(page).toHaveURL("/myaccount");
  await page.getByRole("button", { name: "Account menu" }).click();
  await menu.getByRole("menuitem", { name: "Logout" }).click();
  await expect(page).toHaveURL("/login");
});

test(
  "SH-07 home is the dashboard where it is licensed, else the first page that may be seen",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "customer");
    await page.goto("/");
    await expect(page).toHaveURL("/dashboard");
    await expect(page.getByRole("figure", { name: "By sensor type" })).toBeVisible();
    await signIn(page, "noLicense");
    await page.goto("/dashboard");
    await expect(page).toHaveURL("/location");
  },
);

test(
  "DB-01 DB-04 the dashboard needs a license and equals the API's counts",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("noLicense");
    const support = await apiAs("support");
    type Stats = Record<"totalByType" | "totalByScomState", { _id: string; count: number }[]>;
    const { objects } = await api.get<{ objects: { _id: string }[] }>("/api/v2/sensor?limit=1");
    const sensor = `/api/sensor/${objects[0]?._id}/licenses`;
    await signIn(page, "noLicense");
    await page.goto("/location");
    const tab = page.getByRole("link", { name: "Dashboard" });
    await expect(tab).toHaveAttribute("aria-disabled", "true");
    await support.put(sensor, { monitoring: true });
    try {
      await expect(tab).not.toHaveAttribute("aria-disabled");
      await tab.click();
      await expect(page).toHaveURL("/dashboard");
      const stats = await api.get<Stats>("/api/v2/sensor/stats?connectionTimeout=24");
      const total = stats.totalByType.reduce((sum, { count }) => sum + count, 0);
      expect(total).toBeGreaterThan(0);
      for (const name of ["Online and offline", "By sensor type", "Monitored"])
        await expect(
          page.getByRole("figure", { name }).getByText(String(total), { exact: true }).first(),
        ).toBeVisible();
      const legend = page.getByRole("figure", { name: "By sensor type" });
      for (const [n, type] of ["APS", "PS.C1", "ZOD"].entries()) {
        await expect(legend.getByRole("term").nth(n)).toHaveText(type);
        const count = stats.totalByType.find(({ _id }) => _id === type)?.count ?? 0;
        await expect(legend.getByRole("definition").nth(n)).toContainText(new RegExp(`^${count}\\b`));
      }
      await expect(page.getByRole("table", { name: "Top 10 most used firmware" })).toBeVisible();
      await expect(page.getByText(/\d+ sensors? (has|have) not reported a firmware/)).toBeVisible();
    } finally {
      await support.put(sensor, { monitoring: false });
    }
    await expect(page).toHaveURL("/location");
    await expect(tab).toHaveAttribute("aria-disabled", "true");
  },
);

type Places = { sensor: string; location: string };
/** Requested paths, and where they redirect to. */
const asked: Record<string, (ids: Places) => readonly (readonly [path: string, arrives?: string])[]> = {
  "the sensors": ({ sensor }) => [
    ["/sensor?sensorType=APS&sortBy=_id&sortDesc=true"],
    [`/sensor/${sensor}`, `/sensor/psc1/${sensor}/general`],
    [`/sensor/psc1/${encodeURIComponent(sensor)}/general`],
    [`/sensor/aps/${sensor}`, `/sensor/psc1/${sensor}/general`],
    [`/sensor/delete/${sensor}?groups=entrance`],
    ["/sensor/register", "/sensor/register?mode=type"],
    [`/sensor/psc1/${sensor}/gps`, `/sensor/psc1/${sensor}/general`],
    [`/sensor/psc1/${sensor}/network`],
  ],
  "locations, init tokens and firmware": ({ location }) => [
    ["/location?name=Harbour"],
    [`/location/delete/${location}`],
    ["/init-token"],
    [`/location/${location}`, `/location/${location}/general`],
    [`/location/${location}/apps/occupancy`],
    ["/location/new"],
    ["/init-token/new"],
    ["/firmware"],
  ],
  "accounts, roles and the dashboard": () => [
    ["/account"],
    ["/account?viewType=list&name=Harbour"],
    ["/account/new"],
    ["/account/import"],
    ["/role"],
    ["/role/new"],
    ["/myaccount"],
    ["/dashboard"],
  ],
};

for (const [area, addresses] of Object.entries(asked)) {
  test(
    `SH-10 every address asks for a login and comes back to the page and query that were asked for: ${area}`,
    { tag: "@prove" },
    async ({ page, apiAs }) => {
      const api = await apiAs("customer");
      type Found = { objects: { _id: string }[] };
      const first = async (path: string) => (await api.get<Found>(path)).objects[0]?._id ?? "";
      const ids = {
        sensor: await findConnectedSensor(api, "PS.C1"),
        location: await first("/api/v2/measurement?limit=1"),
      };
      const { email, password } = personas.customer;
      for (const [path, arrives = path] of addresses(ids)) {
        await forgetSession(page);
        await page.goto(path);
        await expect(page).toHaveURL(/\/login\?from=/);
        await typeLogin(page, email, password);
        await expect(page).toHaveURL(arrives);
        await expect(page.getByRole("button", { name: "Account menu", includeHidden: true })).toBeVisible();
      }
    },
  );
}

test("SH-10 a bad filter in an address is ignored, not a broken page", { tag: "@prove" }, async ({ page, signIn }) => {
  await signIn(page, "customer");
  await page.goto("/sensor?sensorType=TOASTER&skip=-4&sortBy=nonsense&sensorID=00:1E");
  await expect(
    page.getByRole("list", { name: "Active filters" }).getByRole("button", { name: /Remove filter/ }),
  ).toHaveCount(1);
  await expect(page.getByRole("table", { name: "Sensors" }).getByRole("row")).not.toHaveCount(1);
});
