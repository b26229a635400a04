// Sends records until they are acknowledged: live records first, then back-fill, newest day first. Sends lost records again
// (docs/device-protocol.md#5-records).
import { protocolLimits, upTopic } from "@psp/contract/device/device-topics.ts";
import type { Ack } from "@psp/contract/device/device-messages.ts";
import {
  acknowledge,
  isPending,
  sortNewestDayFirst,
  getRecordText,
  type Channel,
  type RecordBuffer,
  mergeRanges,
  type NumberRange,
} from "./buffer.ts";
import type { Cancel, Clock } from "../clock.ts";

type Topic = Channel | "fill";
type Flight = {
  topic: Topic;
  numbers: number[];
  sentAt: number;
  firstSentAt: number;
  order: number;
  tries: number;
  dueAt: number;
};

type Send = (topic: string, payload: string, done: (failed: Error | null) => void) => void;
export type Outbox = ReturnType<typeof createOutbox>;

const fillEveryMs = 500;
const probeEveryMs = 60_000;
const hostSilentMs = 5 * 60_000;
const maxResendMs = 600_000;
const quickResendMs = 2000;
const flightsAtOnce = 16;

export function createOutbox(id: string, buffer: RecordBuffer, net: Clock) {
  return {
    id,
    buffer,
    net,
    send: null as Send | null,
    sid: "",
    live: [] as number[],
    plan: [] as NumberRange[],
    flights: [] as Flight[],
    nextFillAt: 0,
    nextProbeAt: 0,
    hostOnline: true,
    lastAckAt: 0,
    wakeAt: Infinity,
    cancelWake: null as Cancel | null,
    batches: 0,
    sentRecords: 0,
    resentBatches: 0,
    /** How many times each batch is sent; more than once only as a fault. */
    copies: () => 1,
    /** Time stamped into `sent`, by the device's clock. */
    stamp: () => net.now(),
  };
}

/** Call after connect and birth; all waiting records become backlog. */
export function openOutbox(outbox: Outbox, sid: string, send: Send): void {
  outbox.sid = sid;
  outbox.send = send;
  outbox.lastAckAt = outbox.net.now();
  outbox.plan = sortNewestDayFirst(outbox.buffer);
  pump(outbox);
}

export function closeOutbox(outbox: Outbox): void {
  outbox.send = null;
  outbox.live = [];
  outbox.plan = [];
  outbox.flights = [];
  outbox.cancelWake?.();
  outbox.cancelWake = null;
  outbox.wakeAt = Infinity;
}

export function enqueue(outbox: Outbox, q: number): void {
  if (!outbox.send) return;
  outbox.live.push(q);
  pump(outbox);
}

/** Puts a range at the front of the backlog, as requested by the server. */
export function resendRange(outbox: Outbox, from: number, to: number): void {
  outbox.flights = outbox.flights.filter(({ numbers }) => !numbers.some((q) => q >= from && q <= to));
  outbox.plan.unshift([from, Math.min(to, outbox.buffer.next - 1)]);
  pump(outbox);
}

/** Deletes stored records and immediately sends lost ones again. */
export function onAck(outbox: Outbox, ack: Ack): void {
  if (ack.ep !== outbox.buffer.ep) return;
  const now = outbox.net.now();
  outbox.lastAckAt = now;
  acknowledge(outbox.buffer, ack.upTo, ack.holes);
  let newestStored = -1;
  for (const flight of outbox.flights) {
    const left = flight.numbers.filter((q) => isPending(outbox.buffer, q));
    if (!left.length) newestStored = Math.max(newestStored, flight.order);
    flight.numbers = left;
  }
  outbox.flights = outbox.flights.filter(({ numbers }) => numbers.length > 0);
  const holes = mergeRanges(ack.holes);
  for (const flight of outbox.flights) {
    const overtaken = flight.order < newestStored && now - flight.sentAt >= quickResendMs;
    if (overtaken && flight.numbers.some((q) => holes.some(([from, to]) => q >= from && q <= to))) flight.dueAt = now;
  }
  pump(outbox);
}

/** While the gateway is away, only an occasional probe is sent. */
export function onHostState(outbox: Outbox, online: boolean): void {
  outbox.hostOnline = online;
  if (online) outbox.lastAckAt = outbox.net.now();
  pump(outbox);
}

export function isIdle(outbox: Outbox): boolean {
  return !outbox.live.length && !outbox.plan.length && !outbox.flights.length;
}

/** Whether the gateway announced its end, or has stopped acknowledging, as after a crash. */
export function isHostAway({ net, hostOnline, lastAckAt, flights }: Outbox): boolean {
  const now = net.now();
  const silentSince = Math.max(lastAckAt, Math.min(now, ...flights.map(({ firstSentAt }) => firstSentAt)));
  return !hostOnline || now - silentSince >= hostSilentMs;
}

function pump(outbox: Outbox): void {
  if (!outbox.send) return;
  const now = outbox.net.now();
  const hostAway = isHostAway(outbox);
  if (hostAway) probe(outbox, now);
  else {
    resendDue(outbox, now);
    sendLive(outbox, now);
    sendBacklog(outbox, now);
  }
  wakeWhenDue(outbox, hostAway);
}

function probe(outbox: Outbox, now: number): void {
  if (now < outbox.nextProbeAt) return;
  outbox.nextProbeAt = now + probeEveryMs;
  const q = outbox.buffer.pending[0]?.[0];
  if (q !== undefined) transmit(outbox, "data", [q]);
}

function resendDue(outbox: Outbox, now: number): void {
  for (const flight of outbox.flights) {
    if (flight.dueAt > now) continue;
    flight.tries++;
    outbox.resentBatches++;
    depart(outbox, flight, now);
  }
}

function sendLive(outbox: Outbox, now: number): void {
  while (outbox.live.length && outbox.flights.length < flightsAtOnce) {
    const topic = outbox.buffer.held.get(outbox.live[0] ?? 0)?.channel ?? "data";
    const numbers: number[] = [];
    const rest: number[] = [];
    for (const q of outbox.live) {
      if (!isPending(outbox.buffer, q)) continue;
      const same = (outbox.buffer.held.get(q)?.channel ?? "data") === topic;
      (same && numbers.length < protocolLimits.batchRecords ? numbers : rest).push(q);
    }
    outbox.live = rest;
    if (numbers.length) launch(outbox, topic, numbers, now);
  }
}

function sendBacklog(outbox: Outbox, now: number): void {
  if (now < outbox.nextFillAt || outbox.flights.length >= flightsAtOnce) return;
  const numbers = takeBatch(outbox);
  if (!numbers.length) return;
  outbox.nextFillAt = now + fillEveryMs;
  launch(outbox, "fill", numbers, now);
}

function takeBatch(outbox: Outbox): number[] {
  const flying = new Set(outbox.flights.flatMap(({ numbers }) => numbers));
  const numbers: number[] = [];
  let bytes = 0;
  while (outbox.plan[0] && numbers.length < protocolLimits.batchRecords) {
    const range = outbox.plan[0];
    const q = range[0];
    const text = isPending(outbox.buffer, q) && !flying.has(q) ? getRecordText(outbox.buffer, q) : null;
    if (text !== null && bytes + text.length > protocolLimits.batchBytes - 512 && numbers.length) break;
    if (text !== null) {
      numbers.push(q);
      bytes += text.length + 1;
    }
    if (q >= range[1]) outbox.plan.shift();
    else range[0] = q + 1;
  }
  return numbers;
}

function launch(outbox: Outbox, topic: Topic, numbers: number[], now: number): void {
  const flight: Flight = { topic, numbers, sentAt: now, firstSentAt: now, order: 0, tries: 0, dueAt: 0 };
  outbox.flights.push(flight);
  depart(outbox, flight, now);
}

function depart(outbox: Outbox, flight: Flight, now: number): void {
  flight.order = ++outbox.batches;
  flight.sentAt = now;
  flight.dueAt = now + Math.min(maxResendMs, protocolLimits.resendAfterMs * 2 ** flight.tries);
  transmit(outbox, flight.topic, flight.numbers);
}

function transmit(outbox: Outbox, topic: Topic, numbers: number[]): void {
  const texts = numbers.map((q) => getRecordText(outbox.buffer, q)).filter((text) => text !== null);
  const head = `{"v":1,"sid":${JSON.stringify(outbox.sid)},"ep":${JSON.stringify(outbox.buffer.ep)},"sent":${outbox.stamp()},"recs":[`;
  const payload = `${head}${texts.join(",")}]}`;
  outbox.sentRecords += texts.length;
  // A failed publish is resent like any unacknowledged batch.
  for (let copy = 0; copy < outbox.copies(); copy++) outbox.send?.(upTopic(outbox.id, topic), payload, () => undefined);
}

function wakeWhenDue(outbox: Outbox, hostAway: boolean): void {
  const now = outbox.net.now();
  const canFill = outbox.plan.length > 0 && outbox.flights.length < flightsAtOnce;
  const soonest = hostAway
    ? outbox.nextProbeAt
    : Math.min(canFill ? outbox.nextFillAt : Infinity, ...outbox.flights.map(({ dueAt }) => dueAt));
  if (outbox.wakeAt <= soonest && outbox.cancelWake) return;
  outbox.cancelWake?.();
  outbox.cancelWake = null;
  outbox.wakeAt = soonest;
  if (soonest === Infinity) return;
  outbox.cancelWake = outbox.net.at(Math.max(now, soonest), () => {
    outbox.cancelWake = null;
    outbox.wakeAt = Infinity;
    pump(outbox);
  });
}
