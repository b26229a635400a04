// Part of the crash campaign: runs overlapping batches and single changes of sensors, and validates the final state (ADR 0015).
// Each call is repeated until it gets a response. Some batches are abandoned and repeated later.
import type { BatchReply } from "@psp/contract/kit/batch.ts";
import type pg from "pg";
import { withDatabase } from "../database.ts";
import { fillDatabase } from "../dataset.ts";
import { type Api, type Product, signIn } from "../product.ts";

const sensorCount = 400;
/** Number of existing sensors at the start and at the end of a batch. */
const [headSize, tailSize] = [150, 150];
/** Unknown ids between start and end split the batch into two chunks, so that a kill can leave the batch half done. */
const unknownIds = Array.from({ length: 4_900 }, (_, n) => `none-${n}`);
const batchWriters = 2;
const singleWriters = 4;
const answerMs = 60_000;
const late = "Changed meanwhile.";

/** `null` leaves the field unchanged. */
type Change = { group: string | null; place: string | null };
type Field = keyof Change;
const fields: Field[] = ["group", "place"];

/** One call. `sent`, `asked` and `answered` are logical times. At `asked`, the server has certainly received the call. */
type Action = {
  change: Change;
  sensors: readonly string[];
  isBatch: boolean;
  sent: number;
  asked: number;
  answered: number;
  failed: ReadonlySet<string>;
};

export type Findings = { changes: number; batches: number; late: number; lost: number; doubled: number; wrong: number };
/** `late`: sensors that batches left alone because of later changes. `risked`: changes that a running batch must not overwrite. */
export type Progress = { late: number; risked: number };
export type BatchWriters = {
  /** Run until `stopped`, then finish pending calls. */
  writers: Promise<void>[];
  progress(): Progress;
  verify(): Promise<Findings>;
};

/** With `forgetful`, change numbers are removed, and the campaign must detect lost changes. */
export async function startBatchWriters(
  product: Product,
  random: () => number,
  stopped: () => boolean,
  { forgetful }: { forgetful: boolean },
): Promise<BatchWriters> {
  await fillDatabase(await product.databaseUrl(), sensorCount);
  const { ids, places } = await withDatabase(await product.databaseUrl(), async (client) => {
    if (forgetful) await client.query(forgetting);
    const sensors = await client.query<{ id: string }>("select id from sensor order by id");
    const locations = await client.query<{ id: string }>("select id from location order by id");
    return { ids: sensors.rows.map(({ id }) => id), places: locations.rows.map(({ id }) => id) };
  });
  const plan = createPlan(random, ids, places);
  const wrongReplies: string[] = [];
  let risked = 0;

  /** Repeats a call with the same idempotency key until it gets a response. With `givesUp`, tries it only once. */
  async function insist(api: { now: Api | null }, key: string, work: (api: Api) => Promise<void>, givesUp = false) {
    for (;;) {
      try {
        api.now ??= await signIn(product.url);
        await work(api.now);
        return true;
      } catch (error) {
        // Conflicts, rate limits, server errors and broken connections are temporary. Other client errors are findings.
        if (/ → 4(?!09|29)/.test(String(error))) wrongReplies.push(`${key}: ${String(error)}`);
        if (givesUp) return false;
        await pause(30);
      }
    }
  }

  async function single(api: { now: Api | null }): Promise<void> {
    const { action, key } = plan.single();
    const [path, header] = [`/api/sensor/${action.sensors[0] ?? ""}`, { "idempotency-key": key }];
    await insist(api, key, async (now) => void (await now.call("PUT", path, bodyOf(action.change), header, answerMs)));
    action.asked = action.answered = plan.tick();
    plan.actions.push(action);
    if (plan.isRisked(action)) risked += 1;
  }

  async function batch(api: { now: Api | null }, { action, key }: Begun, givesUp: boolean): Promise<boolean> {
    const header = { "idempotency-key": key };
    const sensorIDs = [...action.sensors.slice(0, headSize), ...unknownIds, ...action.sensors.slice(headSize)];
    const body = { sensorIDs, changes: bodyOf(action.change) };
    const done = await insist(
      api,
      key,
      async (now) => {
        const answer = now.call<BatchReply>("PUT", "/api/v2/sensor/batch-update", body, header, answerMs);
        const watching = watch(now, { action, key }, answer, plan.tick);
        await Promise.allSettled([answer, watching]);
        const fail = (await answer).fail.filter(({ id }) => !id.startsWith("none-"));
        action.failed = new Set(fail.map(({ id }) => id));
        for (const one of fail) if (one.errMessage !== late) wrongReplies.push(`${key}: ${one.id} ${one.errMessage}`);
      },
      givesUp,
    );
    if (!done) return false;
    action.answered = plan.tick();
    action.asked = Math.min(action.asked, action.answered);
    plan.end(action);
    return true;
  }

  async function runBatches(): Promise<void> {
    const api: { now: Api | null } = { now: null };
    const left: Begun[] = [];
    while (!stopped()) {
      const old = left.length > 2 || (left.length > 0 && random() < 0.3) ? left.shift() : undefined;
      const begun = old ?? plan.batch();
      if (!(await batch(api, begun, random() < 0.5))) left.push(begun);
      await pause(100 + random() * 600);
    }
    for (const begun of left) await batch(api, begun, false);
  }

  async function runSingles(): Promise<void> {
    const api: { now: Api | null } = { now: null };
    while (!stopped()) await single(api);
  }

  return {
    writers: [
      ...Array.from({ length: batchWriters }, runBatches),
      ...Array.from({ length: singleWriters }, runSingles),
    ],
    progress: () => ({ late: countLate(plan.actions), risked }),
    async verify() {
      for (const reply of wrongReplies.slice(0, 5)) process.stderr.write(`${reply}\n`);
      const stored = await withDatabase(await product.databaseUrl(), readStored);
      return judge(plan.actions, stored, wrongReplies.length);
    },
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

type Begun = { action: Action; key: string };

function createPlan(random: () => number, ids: readonly string[], places: readonly string[]) {
  const actions: Action[] = [];
  /** The last sensors of each running batch, where concurrent changes are likely. */
  const tails = new Map<Action, readonly string[]>();
  let [now, made] = [0, 0];
  const tick = () => (now += 1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

  function newAction(sensors: readonly string[], isBatch: boolean): Action {
    const what = random();
    made += 1;
    return {
      change: { group: what < 0.7 ? `deed ${made}` : null, place: what > 0.4 ? pick(places) : null },
      sensors,
      isBatch,
      sent: tick(),
      asked: Infinity,
      answered: Infinity,
      failed: new Set(),
    };
  }

  return {
    actions,
    tick,
    /** The caller must add the action to `actions` after the response. */
    single(): Begun {
      const tail = pick([...tails.values(), ids]);
      const action = newAction([pick(random() < 0.7 ? tail : ids)], false);
      return { action, key: `single ${made}` };
    },
    batch(): Begun {
      const mixed = ids.map((id) => ({ id, at: random() })).toSorted((a, b) => a.at - b.at);
      const chosen = mixed.slice(0, headSize + tailSize).map(({ id }) => id);
      const action = newAction(chosen, true);
      actions.push(action);
      tails.set(action, chosen.slice(headSize));
      return { action, key: `batch ${made}` };
    },
    end: (action: Action) => void tails.delete(action),
    /** Whether a batch that the server already had when this change was sent is still running. */
    isRisked: ({ sensors: [id = ""], change, sent }: Action) =>
      [...tails].some(([one, tail]) => one.asked < sent && tail.includes(id) && sharesField(one.change, change)),
  };
}

/** Records when the server has certainly received the batch. Any request sent later must win over the batch. */
async function watch(api: Api, { action, key }: Begun, answer: Promise<unknown>, tick: () => number): Promise<void> {
  let isOver = false;
  const over = () => void (isOver = true);
  answer.then(over, over);
  while (!isOver && action.asked === Infinity) {
    const runs = await api
      .call<unknown[]>("GET", `/api/v2/sensor/batches?key=${encodeURIComponent(key)}`)
      .catch(() => []);
    if (runs.length > 0) action.asked = tick();
    else await pause(10);
  }
}

/** A trigger that removes the change numbers. Triggers run in order of their names, so it runs last. */
const forgetting = `
  create function forget_marks() returns trigger language plpgsql as $$
  begin new.groups_mark = null; new.location_mark = null; return new; end $$;
  create trigger zz_forget before update on sensor for each row execute function forget_marks()`;

const bodyOf = ({ group, place }: Change) => ({
  ...(group === null ? {} : { groups: [group] }),
  ...(place === null ? {} : { measID: place }),
});

type Stored = {
  sensors: Map<string, Change>;
  /** For each group, the number of audit rows, and the number of different sensors in these rows. */
  trail: Map<string, { times: number; sensors: number }>;
};

async function readStored(client: pg.Client): Promise<Stored> {
  const sensors = await client.query<Change & { id: string }>(
    "select id, groups[1] as group, location_id as place from sensor",
  );
  const trail = await client.query<{ group: string; times: number; sensors: number }>(
    `select after -> 'groups' ->> 0 as group, count(*)::int as times, count(distinct object_id)::int as sensors
     from audit where object_type = 'sensor' and action = 'update' and after -> 'groups' <> before -> 'groups' group by 1`,
  );
  return {
    sensors: new Map(sensors.rows.map(({ id, group, place }) => [id, { group, place }])),
    trail: new Map(trail.rows.map((row) => [row.group, row])),
  };
}

function judge(actions: readonly Action[], { sensors, trail }: Stored, wrongReplies: number): Findings {
  const batches = actions.filter(({ isBatch }) => isBatch);
  const found = { changes: actions.length - batches.length, batches: batches.length };
  let [lost, doubled, wrong] = [0, 0, wrongReplies];
  for (const { change, sensors: meant, failed } of actions) {
    const recorded = change.group === null ? undefined : (trail.get(change.group) ?? { times: 0, sensors: 0 });
    if (recorded && recorded.times > recorded.sensors) doubled += 1;
    // Some sensors were reported as done but have no audit row, or were reported as failed but have one.
    if (recorded && recorded.sensors !== meant.length - failed.size) wrong += 1;
  }
  const touching = new Map<string, Action[]>();
  for (const action of actions)
    for (const id of action.sensors) {
      const list = touching.get(id);
      if (list) list.push(action);
      else touching.set(id, [action]);
    }
  for (const [id, list] of touching)
    for (const field of fields) {
      const named = list.filter(({ change }) => change[field] !== null);
      const written = named.filter(({ failed }) => !failed.has(id));
      const value = sensors.get(id)?.[field];
      // The last change wins. Concurrent changes may have been applied in any order.
      const last = written.filter((one) => !written.some((other) => other.sent > one.asked));
      if (written.length > 0 && !last.some(({ change }) => change[field] === value)) lost += 1;
    }
  for (const [id, list] of touching)
    for (const action of list)
      if (action.failed.has(id) && !list.some((other) => comesBetween(action, other, id))) wrong += 1;
  return { ...found, late: countLate(actions), lost, doubled, wrong };
}

const countLate = (actions: readonly Action[]): number => actions.reduce((sum, { failed }) => sum + failed.size, 0);

const sharesField = (one: Change, other: Change): boolean =>
  fields.some((field) => one[field] !== null && other[field] !== null);

/** Whether `other` may have superseded the batch: a concurrent change of the same field. */
function comesBetween(action: Action, other: Action, id: string): boolean {
  if (other === action || other.failed.has(id)) return false;
  return sharesField(action.change, other.change) && other.sent < action.answered && other.answered > action.sent;
}
