// Tests that enabled controls match the server's permissions, for every noun and several users.

import type { APIRequestContext, Locator, Page } from "@playwright/test";
import { expect, personas, type PersonaName, test } from "./world.ts";

/** URLs of each noun: API list, API object, and console pages. */
const nouns = [
  { list: "/api/v2/sensor", one: "/api/sensor", page: "/sensor", open: "", field: "Groups" },
  { list: "/api/v2/measurement", one: "/api/measurement", page: "/location", open: "/general", field: "Name" },
  { list: "/api/role", one: "/api/role", page: "/role", open: "", field: "Name" },
  { list: "/api/init_token", one: "/api/init_token", page: "/init-token", open: "", field: "Name" },
  { list: "/api/artifact", one: "/api/artifact", page: "/firmware", open: "", field: "Visible for child accounts" },
  { list: "/api/account", one: "/api/account", page: "/account", open: "", field: "Name" },
] as const;

type Thing = { _id: string; owner?: { _id: string }; parentAccounts?: string[] };
/** Number of owners whose objects are checked. */
const owners = 3;

for (const persona of ["operator", "customer", "customerChild", "readonly"] as const)
  test(
    `PE-02 what ${personas[persona].account} may edit and delete in the console is what the server lets them`,
    { tag: "@prove" },
    async ({ page, playwright, baseURL, signIn }) => {
      const api = await playwright.request.newContext(baseURL === undefined ? {} : { baseURL });
      const headers = { authorization: `Bearer ${await tokenOf(api, persona)}` };
      await signIn(page, persona);
      const wrong: string[] = [];
      const seen = { yes: 0, no: 0 };
      const compare = (what: string, shown: boolean, allowed: boolean) => {
        seen[allowed ? "yes" : "no"] += 1;
        if (shown !== allowed) wrong.push(`${what}: the console says ${shown}, the server ${allowed}`);
      };
      for (const noun of nouns) {
        const reply = (await (await api.get(`${noun.list}?limit=500`, { headers })).json()) as
          | Thing[]
          | { objects: Thing[] };
        const all = Array.isArray(reply) ? reply : reply.objects;
        const byOwner = new Map(all.map((thing) => [thing.owner?._id ?? thing._id, thing]));
        for (const { _id } of [...byOwner.values()].slice(0, owners)) {
          const address = `${noun.one}/${encodeURIComponent(_id)}`;
          const mayDelete = await isAllowed(api, "DELETE", address, headers);
          const mayEdit = await isAllowed(api, "PUT", address, headers);
          // Accounts with children can't be deleted.
          if (!all.some(({ parentAccounts }) => parentAccounts?.includes(_id)))
            compare(`delete ${address}`, await offersToDelete(page, `${noun.page}/delete/${_id}`), mayDelete);
          await page.goto(`${noun.page}/${_id}${noun.open}`);
          const field = page.getByLabel(noun.field, { exact: true });
          await expect(field).toBeVisible();
          compare(`edit ${address}`, await isEditable(page, field, mayEdit), mayEdit);
        }
      }
      expect(wrong).toEqual([]);
      expect(seen.no, "refused").toBeGreaterThan(0);
      if (persona !== "readonly") expect(seen.yes, "allowed").toBeGreaterThan(0);
      await api.dispose();
    },
  );

async function tokenOf(api: APIRequestContext, persona: PersonaName): Promise<string> {
  const { email, password } = personas[persona];
  const reply = await api.post("/api/auth/login", { data: { email, password } });
  return ((await reply.json()) as { token: string }).token;
}

/**
 * Sends a version that doesn't exist, so that the request has no side effects. The server checks permissions before it checks
 * versions.
 */
async function isAllowed(
  api: APIRequestContext,
  method: "PUT" | "DELETE",
  address: string,
  headers: Record<string, string>,
): Promise<boolean> {
  const reply = await api.fetch(address, {
    method,
    headers: { ...headers, "if-match": "999999999" },
    ...(method === "PUT" ? { data: {} } : {}),
  });
  const { code } = (await reply.json()) as { code: number };
  if (reply.status() === 412) return true;
  expect([reply.status(), [304, 305].includes(code)], `${method} ${address}`).toEqual([403, true]);
  return false;
}

/**
 * Forms are read-only until permissions are loaded. Waits for an editable field or, if none is expected, until the network is
 * idle.
 */
async function isEditable(page: Page, field: Locator, isExpected: boolean): Promise<boolean> {
  if (isExpected)
    return expect(field)
      .toBeEditable()
      .then(
        () => true,
        () => false,
      );
  await page.waitForLoadState("networkidle");
  return field.isEditable();
}

/** Whether the delete dialog asks for confirmation; otherwise, it refuses. */
async function offersToDelete(page: Page, path: string): Promise<boolean> {
  await page.goto(path);
  const question = page.getByRole("alertdialog");
  const reason = page.getByRole("alert");
  await expect(question.or(reason).first()).toBeVisible();
  return question.isVisible();
}
