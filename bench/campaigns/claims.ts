// Many accounts claim one sensor at the same moment, a thousand times: exactly one gets it (T-13).
// Usage: node bench/campaigns/claims.ts [--rounds 1000] [--claimants 16]
import { parseArgs } from "node:util";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import pg from "pg";
import { type Api, createProduct, signIn } from "../product.ts";
import { addPerson, newToken, openSession } from "./people.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "1000" }, claimants: { type: "string", default: "16" } },
});
const rounds = Number(values.rounds);
const claimants = Number(values.claimants);
/**
 * Losing a race counts as a wrong code, and 20 wrong codes per hour are allowed. After this many rounds the test clock advances.
 */
const roundsPerHour = 15;
const id = "02:00:00:00:0C:1A";

type Person = { name: string; token: string };
type Answer = { status: number; body: Record<string, unknown> };
const product = await createProduct({ TEST_CLOCK: "on" });

async function person(root: Api, db: pg.Client, name: string): Promise<Person> {
  const token = newToken();
  await openSession(db, await addPerson(root, root, name, fullPermissions), token);
  return { name, token };
}

async function ask({ token }: Person, method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(product.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function moveClock(): Promise<void> {
  const { now } = (await (await fetch(`${product.url}/dev/clock`)).json()) as { now: string };
  const later = new Date(Date.parse(now) + 3_600_000).toISOString();
  await fetch(`${product.url}/dev/clock`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ now: later }),
  });
}

const faults: string[] = [];
let played = 0;
const startedAt = performance.now();
try {
  await product.start();
  const root = await signIn(product.url);
  const db = new pg.Client({ connectionString: await product.databaseUrl() });
  await db.connect();
  const { _id: top } = await root.call<{ _id: string }>("GET", "/api/auth/user");
  const people: Person[] = [];
  for (let n = 0; n < claimants; n += 1) people.push(await person(root, db, `Claimant ${n}`));
  await db.end();
  const { token } = await root.call<{ token: string }>("POST", "/api/init_token", { name: "Claims", owner: top });
  await root.call("POST", "/device/v1/enrol", { token, id, type: "APS", nonce: "n", time: Date.now() });
  let owner: Person = { name: "root", token: root.token };
  for (let round = 0; round < rounds && faults.length < 10; round += 1) {
    if (round % roundsPerHour === 0) await moveClock();
    const opened = await ask(owner, "PUT", `/api/sensor/${id}`, { claimable: true, groups: [`of ${owner.name}`] });
    const claim = { sensors: [{ id, type: "APS", claimingCode: opened.body["claimingCode"] }] };
    const answers = await Promise.all(people.map((who) => ask(who, "POST", "/api/claim/", claim)));
    const winners = people.filter((_, n) => answers[n]?.status === 200);
    const statuses = answers.map(({ status }) => status);
    if (winners.length !== 1) faults.push(`round ${round}: ${winners.length} winners, answers ${statuses.join(" ")}`);
    if (statuses.some((status) => status !== 200 && status !== 404))
      faults.push(`round ${round}: answers ${statuses.join(" ")}`);
    const seen = await Promise.all(people.map((who) => ask(who, "GET", `/api/sensor/${id}`)));
    const next = winners[0];
    people.forEach((who, n) => {
      const sees = seen[n]?.status === 200;
      const groups = seen[n]?.body["groups"];
      if (sees !== (who === next)) faults.push(`round ${round}: ${who.name} ${sees ? "sees" : "does not see"} it`);
      // A new owner must not see the former owner's groups. If the owner claims the sensor again, it keeps its groups.
      if (sees && who !== owner && !(Array.isArray(groups) && groups.length === 0))
        faults.push(`round ${round}: groups of ${owner.name} went along to ${who.name}`);
    });
    if (next) owner = next;
    played += 1;
  }
} finally {
  await product.end();
}
for (const fault of faults) console.error(fault);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
console.log(`${played} rounds of ${claimants} claimants in ${seconds} s: ${faults.length} faults`);
process.exitCode = faults.length === 0 && played === rounds ? 0 : 1;
