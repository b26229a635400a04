// Kills the server during batches, then repeats the batch or lets the server finish it. Every sensor must be changed exactly
// once.
// `--kills 6 --sensors 40000`
import { parseArgs } from "node:util";
import { withDatabase } from "../database.ts";
import { fillDatabase } from "../dataset.ts";
import { admin, createProduct, signIn } from "../product.ts";

const { values: flags } = parseArgs({
  options: { kills: { type: "string", default: "6" }, sensors: { type: "string", default: "40000" } },
});
const sensors = Number(flags.sensors);
const tell = (text: string) => void process.stdout.write(`${text}\n`);

type Run = { done: number; total: number; finishedAt: string | null };

const product = await createProduct({ PARTS: "api,gateway,worker" });
await product.start();
await fillDatabase(await product.databaseUrl(), sensors);
let failures = 0;
for (let kill = 1; kill <= Number(flags.kills); kill += 1) {
  const api = await signIn(product.url, admin);
  const group = `kill ${kill}`;
  const body = { sensorQuery: {}, all: true, expectedCount: sensors, changes: { groups: [group] } };
  const key = { "idempotency-key": `campaign-${kill}` };
  const send = () =>
    api.call<{ success: number; fail: unknown[] }>("PUT", "/api/v2/sensor/batch-update", body, key, 120_000);
  const look = async () => (await api.call<Run[]>("GET", `/api/v2/sensor/batches?key=campaign-${kill}`))[0];
  const cut = send().then(
    () => "answered",
    () => "cut off",
  );
  await until(async () => ((await look())?.done ?? 0) > 0);
  await product.kill("server");
  const outcome = await cut;
  await product.start();
  const at = (await look())?.done ?? 0;
  const repeats = kill % 2 === 1;
  if (repeats) await send();
  else await until(async () => Boolean((await look())?.finishedAt));
  const wrong = await count(group, kill);
  if (wrong !== "") failures += 1;
  tell(
    `kill ${kill}: ${outcome} at ${at} of ${sensors}, ${repeats ? "repeated" : "left alone"} → ${wrong || "each sensor once"}`,
  );
}
await product.end();
tell(failures === 0 ? "ok" : `${failures} of ${flags.kills} went wrong`);
process.exitCode = failures === 0 ? 0 : 1;

/** Returns an empty text if every sensor has the group, one new version and one audit row; otherwise the counts. */
async function count(group: string, round: number): Promise<string> {
  const { rows } = await withDatabase(await product.databaseUrl(), (client) =>
    client.query<{ grouped: string; versioned: string; noted: string }>(
      `select count(*) filter (where groups = array[$1]) as grouped, count(*) filter (where version = $2 + 1) as versioned,
       (select count(*) from audit where after -> 'groups' = to_jsonb(array[$1])) as noted from sensor`,
      [group, round],
    ),
  );
  const [row] = rows;
  const right = [row?.grouped, row?.versioned, row?.noted].every((n) => Number(n) === sensors);
  return right ? "" : JSON.stringify(row);
}

async function until(done: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 180_000;
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error("Waited for three minutes");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
