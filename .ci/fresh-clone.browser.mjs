// Reads the output of a server start from standard input, opens the printed URL in a browser and signs in with the printed
// logins. Exits with 1 and the reason on failure. Arguments: expected number of logins, and how many of them to try.

import { readFileSync } from "node:fs";
import { chromium } from "@playwright/test";
import { findChromium } from "../e2e/browser.ts";
import { parsePrintedUrl, parsePrintedLogins } from "../e2e/printed.ts";

/** Only catches hangs. */
const LIMIT_MS = 120_000;
const AT_ONCE = 3;

async function getIn(browser, address, { email, password }) {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(LIMIT_MS);
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address);
  await page.getByLabel("Email").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Login" }).click();
  const said = page.getByRole("alert").first();
  const inside = page.getByRole("button", { name: "Account menu" });
  await inside.or(said).waitFor();
  if (await said.isVisible()) throw new Error(`${email} at ${address}: ${await said.textContent()}`);
  if (complaints.length > 0) throw new Error(`${email} at ${address}: the browser says: ${complaints.join("; ")}`);
  await page.context().close();
}

const printed = readFileSync(0, "utf8");
const address = parsePrintedUrl(printed);
const logins = parsePrintedLogins(printed);
const browser = await chromium.launch(await findChromium());
try {
  if (address === null) throw new Error("no address was printed");
  if (logins.length !== Number(process.argv[2])) throw new Error(`${logins.length} logins were printed`);
  // The root account's login is printed last, if at all; it is always tried.
  const tried = [...logins.slice(-1), ...logins.slice(0, -1)].slice(0, Number(process.argv[3]));
  for (let next = 0; next < tried.length; next += AT_ONCE) {
    await Promise.all(tried.slice(next, next + AT_ONCE).map((login) => getIn(browser, address, login)));
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await browser.close();
}
