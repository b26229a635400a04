// Replays a count file as history of one sensor until the server has stored all of it. The file has half-hour counts in CalIt2
// format: `flow,mm/dd/yy,HH:MM:SS,count` in local time.
import { randomBytes, createHash } from "node:crypto";
import { downFilter, downTopic, hostStateTopic, protocolLimits, upTopic } from "@psp/contract/device/device-topics.ts";
import { ackSchema, type Ack, type Birth } from "@psp/contract/device/device-messages.ts";
import { wireId } from "@psp/contract/kit/ids.ts";
import { sleep, type Clock } from "../clock.ts";
import { closeWithDeath, openLink, parseJson, type Broker, type Link } from "../link/link.ts";
import { seededRandom, hashText } from "../random.ts";
import { instantOfLocal } from "../local-time.ts";

export const orders = ["forward", "reverse", "shuffle"] as const;
type Order = (typeof orders)[number];
type Half = "first" | "second";

export type ReplaySetup = {
  id: string;
  broker: Broker;
  password: string;
  file: CountFile;
  order: Order;
  half: Half | null;
  twice: boolean;
  net: Clock;
  log: (text: string) => void;
};

export type ReplayResult = { records: number; batches: number; in: number; out: number; from: number; to: number };

const batchEveryMs = 500;
const silenceMs = 30_000;
const connectTries = 5;

type Numbered = HalfHour & { q: number };

/** Sends the file, or one half of it. Throws with a user-facing message. */
export async function replay(setup: ReplaySetup): Promise<ReplayResult> {
  const numbered = setup.file.halfHours.map((one, index): Numbered => ({ ...one, q: index + 1 }));
  const middle = Math.ceil(numbered.length / 2);
  const chosen =
    setup.half === "first" ? numbered.slice(0, middle) : setup.half === "second" ? numbered.slice(middle) : numbered;
  let batches = 0;
  for (let round = 0; round < (setup.twice ? 2 : 1); round++) {
    setup.log(round ? "sending everything again" : `sending ${chosen.length} intervals`);
    batches += await sendAll(setup, chosen);
  }
  const [first, last] = [chosen[0], chosen.at(-1)];
  return {
    records: chosen.length,
    batches,
    in: chosen.reduce((sum, one) => sum + one.in, 0),
    out: chosen.reduce((sum, one) => sum + one.out, 0),
    from: first?.s ?? 0,
    to: (last?.s ?? 0) + halfHourMs,
  };
}

function inOrder(records: Numbered[], order: Order): Numbered[] {
  if (order === "forward") return records;
  if (order === "reverse") return records.toReversed();
  const draw = seededRandom(hashText("shuffle"));
  return records
    .map((record) => ({ record, rank: draw() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ record }) => record);
}

/** Sends a birth, then two batches a second. Waits for acknowledgements, and sends missing records again. */
async function sendAll(setup: ReplaySetup, records: Numbered[]): Promise<number> {
  const { net, file, id } = setup;
  let left = inOrder(records, setup.order);
  let sent = 0;
  for (let attempt = 0; attempt < connectTries; attempt++) {
    if (attempt) await sleep(net, 5000 * attempt);
    let session: Session | null = null;
    try {
      session = await openSession(setup, records);
      for (let start = 0; start < left.length; start += protocolLimits.batchRecords) {
        if (start) await sleep(net, batchEveryMs);
        session.expectAck();
        await session.send(
          upTopic(id, "fill"),
          batchText(file.ep, session.sid, net.now(), left.slice(start, start + protocolLimits.batchRecords)),
        );
        sent++;
      }
      left = await session.missing(left);
      if (!left.length) return sent;
      setup.log(`${left.length} intervals are not confirmed; sending them again`);
    } catch (error) {
      if (error instanceof RefusedError || !session) throw error;
      setup.log(error instanceof Error ? error.message : String(error));
    } finally {
      await session?.close();
    }
  }
  throw new Error(`The server did not confirm ${left.length} of ${records.length} intervals.`);
}

function batchText(ep: string, sid: string, sent: number, records: Numbered[]): string {
  const recs = records.map(({ q, s, in: entered, out }) => ({
    q,
    t: "count",
    s,
    e: s + halfHourMs,
    ck: "ok",
    osd: 0,
    lines: [{ id: "l1", name: "Main door", in: entered, out }],
    upS: 1800,
  }));
  return JSON.stringify({ v: 1, sid, ep, sent, recs });
}

class RefusedError extends Error {}

type Session = {
  sid: string;
  send(topic: string, payload: string): Promise<void>;
  /** Discards acknowledgements received so far. */
  expectAck(): void;
  /** Waits until all records are acknowledged; after a timeout, returns the missing ones. */
  missing(records: Numbered[]): Promise<Numbered[]>;
  close(): Promise<void>;
};

function notIn(ack: Ack | null, records: Numbered[]): Numbered[] {
  return records.filter(({ q }) => !ack || q > ack.upTo || ack.holes.some(([from, to]) => q >= from && q <= to));
}

function openSession(setup: ReplaySetup, records: Numbered[]): Promise<Session> {
  const { id, broker, password, file, net } = setup;
  const wire = wireId(id);
  const sid = randomBytes(8).toString("hex");
  let latest: Ack | null = null;
  let onAck: () => void = () => undefined;
  let failWith: (error: Error) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => (failWith = reject));
  broken.catch(() => undefined);
  return new Promise((resolve, reject) => {
    const link: Link = openLink(
      broker,
      { id, username: wire, clientId: wire, password },
      JSON.stringify({ online: false, sid, n: 1 }),
      {
        onUp: () =>
          link.subscribe([downFilter(id), hostStateTopic], (failed) => {
            if (failed) return reject(new Error(`The server refused the subscription: ${failed.message}.`));
            link.publish(upTopic(id, "state"), JSON.stringify(birthOf(setup, sid, records)), { retain: true });
            resolve(session);
          }),
        onDown: (reason, refused) => {
          const error =
            refused === 134 || refused === 135
              ? new RefusedError(`The broker at ${broker.host}:${broker.port} refused the credential of ${id}.`)
              : new Error(`No connection to the broker at ${broker.host}:${broker.port}: ${reason}.`);
          reject(error);
          failWith(error);
        },
        onMessage: (topic, payload) => {
          if (topic !== downTopic(id, "ack")) return;
          const ack = ackSchema.safeParse(parseJson(payload));
          if (!ack.success || ack.data.ep !== file.ep) return;
          latest = ack.data;
          onAck();
        },
      },
    );
    const session: Session = {
      sid,
      send: (topic, payload) =>
        Promise.race([
          broken,
          new Promise<void>((sent, failed) =>
            link.publish(topic, payload, {}, (error) => (error ? failed(error) : sent())),
          ),
        ]),
      expectAck: () => void (latest = null),
      missing: (wanted) =>
        Promise.race([
          broken,
          new Promise<Numbered[]>((answer) => {
            const cancel = net.at(net.now() + silenceMs, () => answer(notIn(latest, wanted)));
            onAck = () => {
              if (notIn(latest, wanted).length) return;
              cancel();
              answer([]);
            };
            onAck();
          }),
        ]),
      close: () => closeWithDeath(link, id, { online: false, sid, n: 1, why: "shutdown" }),
    };
  });
}

function birthOf({ file, net }: ReplaySetup, sid: string, records: Numbered[]): Birth {
  const [first, last] = [records[0]?.q ?? 1, records.at(-1)?.q ?? 0];
  const now = net.now();
  return {
    online: true,
    sid,
    n: 1,
    reason: "power",
    type: "APS",
    fw: "1.18.0",
    hw: "APS-90",
    proto: 1,
    ep: file.ep,
    seq: { first, next: last + 1 },
    caps: ["count"],
    clock: { now, synced: true, src: "ntp", offMs: 0 },
  };
}

const halfHourMs = 1_800_000;
const outFlow = "7";
const inFlow = "9";

type HalfHour = { s: number; in: number; out: number };
export type CountFile = {
  halfHours: HalfHour[];
  totalIn: number;
  totalOut: number;
  /** Values at skipped local times, and the people lost with them. */
  unplaceable: { times: number; people: number };
  /** Buffer epoch, derived from the content. */
  ep: string;
};

const linePattern = /^([79]),(\d\d)\/(\d\d)\/(\d\d),(\d\d):(\d\d):(\d\d),(\d{1,7})$/;

/**
 * Merges both flows of a half hour into one entry. If the clock change repeats an hour, the file contains it once, and
 * its values go to the first occurrence. Throws with the line number if a line is invalid.
 */
export function parseCounts(text: string, zone: string): CountFile {
  const found = new Map<number, { local: number; in: number | null; out: number | null }>();
  // The data set contains stray carriage returns and empty lines.
  text.split(/\r\n|\r|\n/).forEach((raw, index) => {
    const line = raw.trim();
    if (!line) return;
    const [, flow, month, day, year, hour, minute, second, count] = linePattern.exec(line) ?? [];
    if (!flow) throw new Error(`Line ${index + 1} is not "flow,mm/dd/yy,HH:MM:SS,count": ${line.slice(0, 60)}`);
    const local = Date.UTC(
      2000 + Number(year),
      Number(month) - 1,
      Number(day),
      Number(hour),
      Number(minute),
      Number(second),
    );
    const isReal = new Date(local).getUTCDate() === Number(day) && Number(hour) < 24 && local % halfHourMs === 0;
    if (!isReal) throw new Error(`Line ${index + 1} has no half hour: ${line.slice(0, 60)}`);
    const entry = found.getOrInsert(local, { local, in: null, out: null });
    if ((flow === inFlow && entry.in !== null) || (flow === outFlow && entry.out !== null))
      throw new Error(`Line ${index + 1} repeats an earlier one: ${line.slice(0, 60)}`);
    if (flow === inFlow) entry.in = Number(count);
    else entry.out = Number(count);
  });
  if (!found.size) throw new Error("The file holds no counts.");
  return place([...found.values()], zone);
}

function place(entries: { local: number; in: number | null; out: number | null }[], zone: string): CountFile {
  const halfHours: HalfHour[] = [];
  const unplaceable = { times: 0, people: 0 };
  for (const entry of entries.toSorted((a, b) => a.local - b.local)) {
    const s = instantOfLocal(zone, entry.local);
    const [entered, out] = [entry.in ?? 0, entry.out ?? 0];
    if (s === null) {
      unplaceable.times++;
      unplaceable.people += entered + out;
    } else halfHours.push({ s, in: entered, out });
  }
  const content = halfHours.map((one) => `${one.s},${one.in},${one.out}`).join("\n");
  return {
    halfHours,
    totalIn: halfHours.reduce((sum, one) => sum + one.in, 0),
    totalOut: halfHours.reduce((sum, one) => sum + one.out, 0),
    unplaceable,
    ep: createHash("sha256").update(content).digest("hex").slice(0, 16),
  };
}
