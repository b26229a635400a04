// Tests claiming sensors by camera, by typing and by link (CL-01 to CL-04).

import { launchBrowserWithCamera, createLabel } from "./labels.ts";
import { findPageFaults } from "./faults.ts";
import { expectMessage, recordMessages, messageDuration } from "./messages.ts";
import { expect, personas, test, typeLogin } from "./world.ts";

const phone = { width: 390, height: 844 };

for (const look of [
  { name: "a desk", viewport: { width: 1280, height: 900 } },
  { name: "a phone", viewport: phone },
]) {
  test(
    `CL-01 a label held before the camera of ${look.name} is read, and the sensor is the claimer's`,
    { tag: look.name === "a phone" ? "@prove" : [] },
    async ({ apiAs, baseURL }, info) => {
      const label = await createLabel(await apiAs("support"), baseURL);
      const browser = await launchBrowserWithCamera(
        `${baseURL}/sensor/register?code=${label.code}`,
        info.outputPath("camera.y4m"),
      );
      try {
        const complaints: string[] = [];
        const context = await browser.newContext({ baseURL: String(baseURL), viewport: look.viewport });
        const page = await context.newPage();
        await recordMessages(page);
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("console", (line) => (line.type() === "error" ? complaints.push(line.text()) : undefined));
        const { email, password } = personas.customer;
        await page.request.post("/api/auth/login", { data: { email, password }, headers: { origin: String(baseURL) } });
        await page.goto("/sensor");
        await page.getByRole("button", { name: "Register Sensor" }).click();
        await expect(page).toHaveURL("/sensor/register?fromPSControl=true");
        const verdict = `Registered Sensor '${label.id}'`;
        await expectMessage(page, verdict);
        expect((await messageDuration(page, verdict)).msAwake).toBeLessThan(4000);
        await expect(page.getByText(label.code)).toBeVisible();
        await expect(page.getByText("Point the camera at the QR code")).toBeVisible();
        expect(await findPageFaults(page)).toEqual([]);
        await page.getByRole("button", { name: "Done" }).click();
        await page.goto(`/sensor?sensorID=${label.id}`);
        await expect(page.getByText(label.id).first()).toBeVisible();
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
      const { owner } = await (await apiAs("customer")).get<{ owner: { name: string } }>(`/api/sensor/${label.id}`);
      expect(owner.name).toBe(personas.customer.account);
    },
  );
}

test(
  "CL-01 a browser without a camera says so and begins with typing",
  { tag: "@prove" },
  async ({ page, context, signIn }) => {
    await context.grantPermissions(["camera"]);
    await signIn(page, "customer");
    await page.goto("/sensor/register");
    await expect(page.getByText("No camera on this device", { exact: true })).toBeVisible();
    await expect(page.getByRole("textbox", { name: "Registration code" })).toBeFocused();
    await expect(page).toHaveURL("/sensor/register?mode=type");
  },
);

test("CL-02 CL-04 a code is claimed by keyboard after eight characters; a second person is too late", async ({
  page,
  apiAs,
  signIn,
  baseURL,
}) => {
  const label = await createLabel(await apiAs("support"), baseURL);
  await signIn(page, "customer");
  await page.goto("/sensor/register");
  await expect(page.getByRole("textbox", { name: "Registration code" })).toBeFocused();
  await page.keyboard.type(label.code.slice(0, 5));
  await page.keyboard.press("Enter");
  await expectMessage(page, "The entered code is invalid or the sensor is already registered to another account.");
  await page.keyboard.type(label.code.slice(5).toLowerCase());
  await expectMessage(page, `Registered sensor with ID "${label.id}"`);
  await expect(
    page.getByRole("row", { name: new RegExp(`APS.*${label.id}.*${label.code}.*Registered`) }),
  ).toBeVisible();
  const late = await apiAs("operator");
  expect(await late.status(`/api/claim/${label.code}`)).toBe(404);
});

test(
  "CL-03 a link with codes is claimed once after sign-in, even after a reload",
  { tag: "@prove" },
  async ({ page, apiAs, provoke, baseURL }) => {
    provoke(/status of 404.*\/api\/claim\/ZZZZ2222/);
    const maker = await apiAs("support");
    const [first, second] = [await createLabel(maker, baseURL), await createLabel(maker, baseURL)];
    await page.goto(`/#/sensor/register?c=${first.code}&code=SHORT&c=${second.code}&c=ZZZZ2222`);
    await typeLogin(page, personas.customer.email, personas.customer.password);
    const table = page.getByRole("table", { name: "Registered sensors" });
    const rows = async () => (await table.getByRole("row").allTextContents()).slice(1);
    const wanted = [
      `APS${first.id}${first.code}Registered`,
      "--SHORTInvalid Registration Code",
      `APS${second.id}${second.code}Registered`,
      "--ZZZZ2222Registration not possible",
    ];
    await expect.poll(rows).toEqual(wanted);
    const claims: string[] = [];
    page.on("request", (request) => (request.url().includes("/api/claim/") ? claims.push(request.url()) : undefined));
    await page.reload();
    await expect.poll(rows).toEqual(wanted);
    expect(claims).toEqual([]);
    await expect(page.getByRole("banner")).toBeVisible();
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page).toHaveURL("/sensor/register/checkout");
    await expect.poll(rows).toEqual(wanted);
    await expect(page.getByRole("banner")).toHaveCount(0);
    await page.getByRole("button", { name: "Finish" }).click();
    await expect(page).toHaveURL("/sensor/register/success");
    await expect(page.getByText("2 sensors now belong to your account.")).toBeVisible();
    await expect(page.getByRole("banner")).toHaveCount(0);
    await page.getByRole("button", { name: "Go to sensors" }).click();
    await expect(page).toHaveURL("/sensor");
  },
);

for (const look of [
  { name: "a desk", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  { name: "a phone in the dark", viewport: phone, colorScheme: "dark" },
] as const) {
  test(
    `the screens of registration offend no standard on ${look.name}`,
    { tag: "@prove" },
    async ({ page, apiAs, signIn, baseURL }) => {
      const label = await createLabel(await apiAs("support"), baseURL);
      await page.setViewportSize(look.viewport);
      await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: "reduce" });
      await signIn(page, "customer");
      const looked: Record<string, string[]> = {};
      const lookAt = async (name: string) => void (looked[name] = await findPageFaults(page));
      await page.goto("/sensor/register");
      await expect(page.getByRole("button", { name: "Try again" })).toBeVisible();
      await lookAt("camera failed");
      await page.goto("/sensor/register?mode=type");
      await expect(page.getByRole("textbox", { name: "Registration code" })).toBeVisible();
      await lookAt("typing");
      const more = Array.from({ length: 6 }, (_, n) => `&code=SHORT${n}`).join("");
      await page.goto(`/sensor/register?code=${label.code}${more}`);
      await expect(page.getByText("Registered", { exact: true })).toBeVisible();
      await lookAt("codes of a link");
      await page.getByRole("button", { name: "Continue" }).click();
      await expect(page.getByRole("heading", { name: "Check your sensors" })).toBeVisible();
      await lookAt("checkout");
      await page.getByRole("button", { name: "Finish" }).click();
      await expect(page.getByRole("heading", { name: "Registration complete" })).toBeVisible();
      await lookAt("success");
      expect(looked).toEqual(Object.fromEntries(Object.keys(looked).map((name) => [name, []])));
    },
  );
}
