import { chromium } from "playwright-core";
const [,, out, ...urls] = process.argv;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium" });
const sizes = { d: [1440, 900], t: [1024, 768], p: [390, 844] };
for (const [size, [width, height]] of Object.entries(sizes)) for (const scheme of ["light", "dark"]) {
  if (size !== "d" && scheme === "dark" && size !== "p") continue;
  const ctx = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await ctx.newPage();
  page.on("console", (m) => { if (["error", "warning"].includes(m.type())) console.log("CONSOLE", m.text()); });
  page.on("pageerror", (e) => console.log("PAGEERROR", e.message));
  await page.goto("http://localhost:8320/login"); await page.waitForTimeout(1500);
  await page.locator("input").first().fill("customer@demo.example.com");
  await page.locator("input[type=password]").fill("violet-harbour-lantern");
  await page.keyboard.press("Enter");
  await page.waitForURL(/dashboard|\/$/, { timeout: 20000 }).catch(() => {});
  await page.waitForTimeout(1500);
  for (const [n, url] of urls.entries()) {
    await page.goto("http://localhost:8320" + url);
    await page.waitForTimeout(2500);
    await page.screenshot({ path: `${out}-${n}-${size}-${scheme}.png`, fullPage: size === "p" });
  }
  await ctx.close();
}
await browser.close();
