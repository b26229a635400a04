// Tests opening, using and losing access to device pages through PS.Connect (PC-01, T-17).
import type { BrowserContext, Page } from "@playwright/test";
import { openHostileSensor } from "./hostile-sensor.ts";
import { mailsTo } from "./mails.ts";
import { startSensor } from "./simulated-sensor.ts";
import { anotherBrowser, expect, newName, newSensorId, personas, test } from "./world.ts";

async function openPage(page: Page, context: BrowserContext): Promise<Page> {
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: "Open configuration page" }).click();
  const window = await opened;
  await expect(window.getByText("Connected", { exact: true })).toBeVisible();
  return window;
}

async function mailWith(address: string, words: string): Promise<string> {
  let found = "";
  const find = async () => (found = (await mailsTo(address)).findLast((mail) => mail.includes(words)) ?? "");
  await expect.poll(find).not.toBe("");
  return found;
}

const sessions = (page: Page) => page.getByRole("region", { name: "Sessions on the configuration page" });

test("PC-01 SE-05 SE-10 auto-login opens and changes a device page, visible in the history", async ({
  page,
  context,
  baseURL,
  apiAs,
  signIn,
  simulate,
}) => {
  const { id } = await startSensor(await apiAs("customer"), simulate, "APS");
  await signIn(page, "customer");
  await page.goto(`/sensor/aps/${id}/firmware`);
  await expect(page.getByText("Connected to PS.Connect")).toBeVisible();
  await page.getByRole("textbox", { name: "Reason" }).fill("The lens was cleaned");
  const window = await openPage(page, context);
  const label = id.replaceAll(":", "").toLowerCase();
  // The device page has another host, no token in its URL, and no opener.
  expect(window.url()).toBe(`http://${label}.devices.localhost:${new URL(baseURL ?? "").port}/`);
  expect(await window.evaluate("opener === null")).toBe(true);
  await expect(window.getByText("user-role-edit")).toBeVisible();
  await expect(window.getByText(id)).toBeVisible();
  const cookies = await context.cookies(window.url());
  expect(cookies.map(({ name }) => name)).toEqual(["psp_remote"]);
  await window.getByLabel("Device name").fill("Main entrance");
  await window.getByRole("button", { name: "Save" }).click();
  await expect(window.getByText("Saved")).toBeVisible();

  const row = sessions(page).getByRole("listitem");
  await expect(row).toContainText("Harbour Stores");
  await expect(row).toContainText("The lens was cleaned");
  await expect(row).toContainText("Can change settings");
  const closed = window.getByText("This session has ended");
  await row.getByRole("button", { name: "End now" }).click();
  await expect(closed).toBeVisible({ timeout: 2000 });
  await expect(sessions(page).getByText("No one has the page open.")).toBeVisible();
  await window.reload();
  await expect(window.getByRole("heading", { name: "You don't have access to this page" })).toBeVisible();

  await page.goto(`/sensor/aps/${id}/history`);
  const entry = page.getByRole("listitem").filter({ hasText: "Configuration page closed" });
  await expect(entry).toContainText("PUT /settings");
  await expect(page.getByRole("listitem").filter({ hasText: "Configuration page opened" })).toContainText(
    "The lens was cleaned",
  );
});

test(
  "PC-01 who may only look gets a page that takes no change, and loses it with the right to look",
  { tag: "@prove" },
  async ({ page, context, apiAs, signIn, simulate }) => {
    const customer = await apiAs("customer");
    const { id } = await startSensor(customer, simulate, "APS");
    await signIn(page, "readonly");
    await page.goto(`/sensor/aps/${id}/firmware`);
    await expect(page.getByText("its page opens read-only")).toBeVisible();
    const window = await openPage(page, context);
    await expect(window.getByText("user-role-view")).toBeVisible();
    // The proxy refuses writes; a read-only page alone wouldn't be enough.
    const refused = await window.evaluate(async () => {
      const reply = await fetch("/settings", { method: "PUT", body: "{}" });
      return { status: reply.status, text: await reply.text() };
    });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain("Nothing was sent to the sensor");
    await expect(sessions(page).getByRole("listitem")).toContainText("Read-only");
    await customer.remove(`/api/sensor/${id}`);
    await expect(window.getByText("This session has ended")).toBeVisible({ timeout: 2000 });
  },
);

test(
  "PC-01 an account above asks, the owner finds out by mail and allows it, and only then the page opens",
  { tag: "@prove" },
  async ({ page, browser, apiAs, signIn, simulate }) => {
    const customer = await apiAs("customer");
    const { id } = await startSensor(customer, simulate, "APS");
    await signIn(page, "customer");
    await page.goto("/myaccount");
    const consent = page.getByRole("switch", { name: "Ask me before parent accounts open my sensors" });
    try {
      await consent.click();
      await expect(consent).toBeChecked();
      const dealer = await anotherBrowser(browser);
      await signIn(dealer, "operator");
      await dealer.goto(`/sensor/aps/${id}/firmware`);
      await dealer.getByRole("textbox", { name: "Reason" }).fill("The lens is dirty");
      await dealer.getByRole("button", { name: "Open configuration page" }).click();
      await expect(dealer.getByText("You can open the page once they agree.")).toBeVisible();

      // The link in the mail leads to the consent request.
      const question = await mailWith(personas.customer.email, "requests access to the configuration page");
      expect(question).toContain(`${personas.operator.account} asks for your consent`);
      expect(question).toContain("Reason: The lens is dirty");
      await page.goto(/^https?:\S+\/sensor\/\S+/m.exec(question)?.[0] ?? "");
      const row = sessions(page).getByRole("listitem");
      await expect(row).toContainText(personas.operator.account);
      await expect(row).toContainText("The lens is dirty");
      await expect(row).toContainText("Waiting for the owner's consent · Can change settings · 1 hour");
      await row.getByRole("button", { name: "Allow" }).click();
      await expect(row).toContainText("The owner agreed; page not opened yet");

      expect(await mailWith(personas.operator.email, `sensor ${id} was allowed`)).toContain("You can open it once");
      await expect(dealer.getByText("The owner agreed. You can open the page now.")).toBeVisible();
      const window = await openPage(dealer, dealer.context());
      await row.getByRole("button", { name: "End now" }).click();
      await expect(window.getByText("This session has ended")).toBeVisible();
      await dealer.context().close();
    } finally {
      await customer.put("/api/auth/remote-consent", { required: false });
    }
  },
);

/** A page that attacks the console and another device page. It lists successful attacks in its body. */
const attack = (consoleUrl: string, neighbor: string) => `<!doctype html><title>attack</title><body><script>
const tried = {};
const attempt = async (name, work) => {
  tried[name] = await Promise.race([
    Promise.resolve().then(work).then((value) => String(value), () => "refused"),
    new Promise((resolve) => setTimeout(() => resolve("refused"), 3000)),
  ]);
};
const read = (url) => fetch(url, { credentials: "include" }).then((reply) => reply.text());
const blind = (url) => fetch(url, { credentials: "include", mode: "no-cors", method: "POST", body: "x" }).then(() => "sent");
const framed = (url) => new Promise((resolve, reject) => {
  const frame = document.createElement("iframe");
  frame.onload = () => { try { resolve(frame.contentDocument.body.innerText || "empty"); } catch { reject(); } };
  frame.onerror = reject;
  frame.src = url;
  document.body.append(frame);
});
(async () => {
  document.cookie = "psp_session=evil; path=/; domain=localhost";
  document.cookie = "psp_session=evil; path=/; domain=devices.localhost";
  document.cookie = "psp_remote=" + "e".repeat(43) + "; path=/; domain=devices.localhost";
  tried.opener = String(window.opener);
  tried.ownCookie = /psp_remote=(?!e{43})/.test(document.cookie) ? "read" : "hidden";
  await attempt("readConsole", () => read("${consoleUrl}/api/auth/user"));
  await attempt("writeConsole", () => blind("${consoleUrl}/api/auth/logout"));
  await attempt("readNeighbor", () => read("${neighbor}/status"));
  await attempt("writeNeighbor", () => blind("${neighbor}/settings"));
  await attempt("frameConsole", () => framed("${consoleUrl}/"));
  await attempt("frameNeighbor", () => framed("${neighbor}/status"));
  await attempt("socket", () => new Promise((resolve, reject) => {
    const socket = new WebSocket("${consoleUrl.replace("http", "ws")}/live");
    socket.onopen = () => resolve("open");
    socket.onerror = reject;
  }));
  await attempt("worker", () => navigator.serviceWorker.register("/worker.js").then(() => "registered"));
  document.body.dataset.tried = JSON.stringify(tried);
})();
</script></body>`;

test(
  "T-17 a hostile page can read and change neither the console nor the page of another sensor",
  { tag: "@prove" },
  async ({ page, context, product, apiAs, signIn, simulate }) => {
    const { baseUrl } = product;
    const api = await apiAs("customer");
    const { id: neighbor } = await startSensor(api, simulate, "APS");
    const hostOf = (id: string) =>
      `http://${id.replaceAll(":", "").toLowerCase()}.devices.localhost:${new URL(baseUrl).port}`;
    const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
    const { token } = await api.post<{ token: string }>("/api/init_token", { name: newName("hostile"), owner });
    const id = newSensorId();
    const asked: string[] = [];
    const end = await openHostileSensor(baseUrl, token, id, (request, reply) => {
      asked.push(request.url);
      if (request.url === "/worker.js")
        return void reply.writeHead(200, { "content-type": "text/javascript" }).end("1");
      if (request.url === "/away") return void reply.writeHead(302, { location: "http://evil.example/" }).end();
      const headers = { "content-type": "text/html", "set-cookie": "psp_session=evil; Domain=localhost; Path=/" };
      reply.writeHead(200, headers).end(attack(baseUrl, hostOf(neighbor)));
    });
    try {
      await expect
        .poll(async () => (await api.get<{ psconnect: unknown }>(`/api/sensor/${id}`)).psconnect)
        .toMatchObject({ connectionStatus: "connected" });
      await signIn(page, "customer");
      await page.goto(`/sensor/aps/${neighbor}/firmware`);
      const good = await openPage(page, context);
      await page.goto(`/sensor/aps/${id}/firmware`);
      const opened = context.waitForEvent("page");
      await page.getByRole("button", { name: "Open configuration page" }).click();
      const evil = await opened;
      await expect(evil.locator("body")).toHaveAttribute("data-tried", /worker/);
      const tried = JSON.parse((await evil.locator("body").getAttribute("data-tried")) ?? "{}") as Record<
        string,
        string
      >;
      expect(tried).toEqual({
        opener: "null",
        ownCookie: "hidden",
        readConsole: "refused",
        writeConsole: "refused",
        readNeighbor: "refused",
        writeNeighbor: "refused",
        frameConsole: "refused",
        frameNeighbor: "refused",
        socket: "refused",
        worker: "refused",
      });
      expect(asked).not.toContain("/worker.js");
      const session = (await context.cookies(baseUrl)).filter(({ name }) => name === "psp_session");
      expect(session.map(({ value }) => value === "evil")).toEqual([false]);
      await page.reload();
      await expect(page.getByText("Connected to PS.Connect")).toBeVisible();
      await good.reload();
      await expect(good.getByText("Connected", { exact: true })).toBeVisible();
      await evil.goto(`${hostOf(id)}/away`);
      await expect(evil.getByRole("heading", { name: "The sensor sent an invalid response" })).toBeVisible();
    } finally {
      end();
    }
  },
);
