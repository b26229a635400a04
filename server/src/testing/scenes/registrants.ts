// Test fixture for people who register on a running server: forms, delivered mails, and the links in them.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import PostalMime from "postal-mime";
import type { JsonObject, Person, Reply, World } from "../world.ts";

export const password = "seven geese over the quay";

const address = {
  phone: "+49 30 1234",
  street: "Kanalweg",
  streetNumber: "7 a",
  zip: "10115",
  city: "Bad Homburg",
  country: "Germany",
};
const legal = {
  firstName: "Anne-Marie",
  familyName: "O'Brien",
  department: "Sales & Service",
  dpaAcceptedAt: "1999-01-01T00:00:00Z",
  eulaAcceptedAt: "1999-01-01T00:00:00Z",
};

export const invitedForm = (more: JsonObject = {}): JsonObject => ({
  name: "Byron Analytics",
  ...address,
  legal,
  credentials: { password },
  ...more,
});

export const signUpForm = (email: string, more: JsonObject = {}): JsonObject => ({
  ...invitedForm(),
  supplier: "Sensor Shop Ltd., Leeds",
  credentials: { email, password },
  ...more,
});

let counter = 0;
export const newAddress = () => `registrant${(counter += 1)}@example.com`;
let clients = 0;
/** Returns a new client address, so that clients share no rate limit. */
export const newClient = () => `203.0.${Math.floor((clients += 1) / 250)}.${clients % 250}`;

export function registrantsOf(world: World) {
  const call = (method: string, path: string, body?: unknown, from = newClient()): Promise<Reply> =>
    world.call(null, method, path, {
      headers: { "x-forwarded-for": from },
      ...(body === undefined ? {} : { body }),
    });

  async function mailsTo(email: string, n = 1) {
    const folder = join(world.ctx.config.dataDir, "mail");
    const deadline = Date.now() + 100_000;
    while (Date.now() < deadline) {
      const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".eml")).toSorted();
      const mails = await Promise.all(names.map(async (name) => PostalMime.parse(await readFile(join(folder, name)))));
      const mine = mails.filter((mail) => mail.to?.some(({ address: to }) => to === email));
      if (mine.length >= n) return mine;
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
    throw new Error(`Not ${n} mails to ${email}`);
  }
  async function linkIn(email: string, n = 1): Promise<string> {
    const mail = (await mailsTo(email, n))[n - 1];
    const link = /^https?:\/\/[^/\s]+(\/\S+)$/m.exec(mail?.text ?? "");
    if (!link?.[1]) throw new Error(`No link in the mail to ${email}`);
    return link[1];
  }
  return {
    mailsTo,
    linkIn,
    get: (link: string) => call("GET", `/api${link}`),
    put: (link: string, body?: unknown) => call("PUT", `/api${link}`, body),
    end: (link: string) => call("DELETE", `/api${link}`),
    signUp: (body: unknown, from?: string) => call("POST", "/api/account/registration", body, from),
    login: (email: string, word = password) => call("POST", "/api/auth/login", { email, password: word }),
    mailCount: async (email: string) =>
      (await world.ctx.db.selectFrom("mail_outbox").select("id").where("recipient", "=", email).execute()).length,
    async invite(by: Person, role: string, email = newAddress(), more: JsonObject = {}) {
      const made = await world.call(by, "POST", "/api/account", {
        body: { name: "Invited Ltd", role, email, ...more },
      });
      return { id: made.id, email, link: await linkIn(email) };
    },
    async awaiting(reviewer: Person, email: string) {
      const found = await world.call(
        reviewer,
        "GET",
        `/api/account?accountState=-1&email=${encodeURIComponent(email)}`,
      );
      const [account] = found.list;
      if (!account) throw new Error(`No account awaits review as ${email}`);
      return account as JsonObject & { _id: string };
    },
  };
}
