// Every page in both themes and on the phone: no violation that axe can find, nothing that scrolls sideways.

import AxeBuilder from "@axe-core/playwright";
import { atRest } from "./rest.ts";
import { expect, test } from "./world.ts";

const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const looks = [
  { name: "light", scheme: "light", size: { width: 1280, height: 900 } },
  { name: "dark", scheme: "dark", size: { width: 1280, height: 900 } },
  { name: "phone", scheme: "light", size: { width: 320, height: 700 } },
] as const;

for (const look of looks) {
  test(`no page has a violation: ${look.name}`, async ({ page, apiAs, signIn }) => {
    test.setTimeout(240_000);
    const api = await apiAs("customer");
    const sensor = (await api.get<{ objects: { _id: string }[] }>("/api/v2/sensor?limit=1")).objects[0]?._id;
    const aps = (
      await api.get<{ objects: { _id: string }[] }>("/api/v2/sensor?sensorType=APS&connected=connected&limit=1")
    ).objects[0]?._id;
    const location = (await api.get<{ objects: { _id: string }[] }>("/api/v2/measurement?limit=1")).objects[0]?._id;
    const { _id: self } = await api.get<{ _id: string }>("/api/auth/user");
    const token = (await api.get<{ _id: string }[]>("/api/init_token?limit=1"))[0]?._id;
    const firmware = (await api.get<{ _id: string }[]>("/api/artifact?limit=1"))[0]?._id;
    const open = [
      "/login",
      "/forgot-password",
      "/sign-up",
      "/reset-password?token=none",
      "/impressum",
      "/privacy",
      "/licenses",
      "/end-user-license-agreement",
      "/data-processing-agreement",
      "/nowhere",
    ];
    const signedIn = [
      "/dashboard",
      "/sensor?groups=entrance",
      "/sensor?sensorID=zzz",
      `/sensor/${sensor}`,
      ...["general", "monitoring", "vpn", "firmware"].map((tab) => `/sensor/aps/${aps}/${tab}`),
      `/sensor/delete/${sensor}`,
      "/sensor/register",
      "/sensor/register?mode=type",
      "/sensor/register/checkout",
      "/location",
      "/location/new",
      `/location/${location}`,
      `/location/delete/${location}`,
      "/init-token/new",
      `/init-token/${token}`,
      "/firmware",
      "/firmware/new",
      `/firmware/${firmware}`,
      "/account",
      "/account/import",
      "/role",
      "/myaccount",
      `/myaccount/delete/${self}`,
      `/account/${self}`,
    ];
    await page.emulateMedia({ colorScheme: look.scheme, reducedMotion: "reduce" });
    await page.setViewportSize(look.size);
    const found: string[] = [];
    const lookAt = async (path: string) => {
      await page.goto(path);
      await expect(page.getByRole("heading", { includeHidden: true }).first()).toBeAttached();
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      await atRest(page);
      const { violations } = await new AxeBuilder({ page }).withTags(standards).analyze();
      found.push(
        ...violations.map(
          ({ id, nodes }) =>
            `${path} ${id}: ${nodes
              .map((node) => node.html)
              .join(" ")
              .slice(0, 300)}`,
        ),
      );
      const sideways = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
      if (sideways > 0) found.push(`${path} scrolls sideways by ${sideways} px`);
    };
    for (const path of open) await lookAt(path);
    await signIn(page, "customer");
    for (const path of signedIn) await lookAt(path);
    expect(found).toEqual([]);
  });
}
