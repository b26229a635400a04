// Imports a large SAP export into a server in a separate process (T-21, AC-09). Memory must stay flat, other users must still be
// served and every bad row must be reported. After a kill, importing the same file again must finish the work.
// Usage: node bench/campaigns/import.ts [--rows 50000] [--kill]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Api, createProduct, type Product, signIn } from "../product.ts";

const { values } = parseArgs({
  options: { rows: { type: "string", default: "50000" }, kill: { type: "boolean", default: false } },
});
const rows = Number(values.rows);

type Result = { success: number; irrelevant: number; error: number; total: number; logs: string[] };
type Line = { progress?: { done: number; total: number }; result?: Result; failure?: { error: string } };

/** In every hundred rows, one is invalid and one has no e-mail address. */
function sheet(): { text: string; bad: number; irrelevant: number } {
  const lines = ["Kunde;E-Mail;Telefon;Straße;Hausnummer;PLZ;Ort;Land;Lieferant"];
  const count = { bad: 0, irrelevant: 0 };
  for (let n = 0; n < rows; n += 1) {
    const isBad = n % 100 === 50;
    const isIrrelevant = n % 100 === 51;
    if (isBad) count.bad += 1;
    if (isIrrelevant) count.irrelevant += 1;
    const email = isIrrelevant ? "" : isBad ? `kunde-${n}` : `kunde-${n}@example.com`;
    lines.push(`"Kunde ${n} & Söhne";${email};+49 30 ${n};Am Kai;${n % 999};10115;Berlin;Germany;Acme GmbH`);
  }
  return { text: `${lines.join("\r\n")}\r\n`, ...count };
}

function memoryOf(pid: number | null): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

/** Passes response lines to `on`; returns the result, or null if the connection broke. */
async function send(product: Product, token: string, text: string, role: string, on: (line: Line) => void) {
  const form = new FormData();
  form.append("role", role);
  form.append("file", new Blob([text]), "export.csv");
  let result: Result | null = null;
  let rest = "";
  try {
    const reply = await fetch(`${product.url}/api/import/sap`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, accept: "application/x-ndjson" },
      body: form,
    });
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
    for await (const part of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const parsed = JSON.parse(line) as Line;
        if (parsed.result) result = parsed.result;
        if (parsed.failure) throw new Error(parsed.failure.error);
        on(parsed);
      }
    }
  } catch (error) {
    if (!values.kill) throw error;
  }
  return result;
}

function bystander(api: Api) {
  const times: number[] = [];
  let going = true;
  const done = (async () => {
    while (going) {
      const from = performance.now();
      await api.call("GET", "/api/account?limit=50&includeTotals=true").catch(() => undefined);
      times.push(performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return async () => {
    going = false;
    await done;
    const sorted = times.toSorted((a, b) => a - b);
    const at = (part: number) =>
      (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(0);
    return `${sorted.length} calls beside it: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`;
  };
}

const product = await createProduct();
const faults: string[] = [];
const say = (line: string) => process.stdout.write(`${line}\n`);
try {
  await product.start();
  let api = await signIn(product.url);
  const { _id: owner } = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const role = await api.call<{ _id: string }>("POST", "/api/role", { name: "Customer", owner, permissions: {} });
  const { text, bad, irrelevant } = sheet();
  await send(product, api.token, "Name;Email\nWarm;warm@example.com\n", role._id, () => undefined);
  const before = memoryOf(product.pid());
  let peak = before;
  const onTheWay: number[] = [];
  let done = 0;
  const stop = bystander(api);
  const from = performance.now();
  const first = await send(product, api.token, text, role._id, ({ progress }) => {
    const memory = memoryOf(product.pid());
    peak = Math.max(peak, memory);
    if (done >= (onTheWay.length * rows) / 10) onTheWay.push(Math.round(memory));
    done = progress?.done ?? done;
    if (values.kill && done > rows / 2 && product.pid() !== null) void product.kill("server");
  });
  const seconds = (performance.now() - from) / 1000;
  say(`${rows} rows, ${(text.length / 1e6).toFixed(1)} MB: ${done} rows in ${seconds.toFixed(1)} s`);
  say(`memory ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most; at every tenth: ${onTheWay.join(", ")}`);
  say(await stop());
  let result = first;
  if (values.kill) {
    if (first !== null) faults.push("the kill came too late");
    await product.start();
    api = await signIn(product.url);
    result = await send(product, api.token, text, role._id, () => undefined);
    say(
      `after the kill the same file: ${result?.success} made, ${result?.irrelevant} irrelevant, ${result?.error} in error`,
    );
  } else if (result?.success !== rows - bad - irrelevant) faults.push(`${result?.success} accounts were made`);
  if (result?.total !== rows || result.error !== bad || result.logs.length !== bad)
    faults.push("not every bad row was reported");
  const { total } = await api.call<{ total: number }>("GET", "/api/account?includeTotals=true&limit=1&name=Kunde");
  say(`${total} accounts are there`);
  if (total !== rows - bad - irrelevant) faults.push(`${total} accounts instead of ${rows - bad - irrelevant}`);
} finally {
  await product.end();
}
for (const fault of faults) say(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
