// Numbers the connections of devices, and ends those that the device replaced at another gateway
// (docs/rules/devices.md#several-gateways).
import type { Context } from "../../context.ts";
import { createBatcher } from "../../db/connection/batcher.ts";
import { hashToken } from "../../kit/tokens.ts";
import * as store from "./gateways.store.ts";

type Options = {
  gatewayId: string;
  isConnected(sensorId: string): boolean;
  /** Also accepts secrets other than the present one that may be used now. */
  checkSecret(wireId: string, secret: string): Promise<boolean>;
  /** The device connected here, and its last connection was at another gateway. */
  onMoved(sensor: store.AdmittedConnection): void;
  /** The device connected to another gateway from the address `to`, or another gateway took its presence over. */
  onReplaced(sensorId: string, to: string | null): void;
};

/** Replacements of unknown connections are remembered, because they may arrive before the number of the local connection. */
const maxRemembered = 10_000;
const chunkSize = 5_000;
const gatherMs = 2;
/** Kept below the size limit of one message between processes. */
const perMessage = 40;

export type Connections = ReturnType<typeof createConnections>;

type Candidate = store.Candidate & { address: string };
type Admitted = { wireId: string; secretHash: Buffer };

/** Another candidate for the same device may have had the right secret. */
const isProved = ({ wireId, secretHash }: Candidate, admitted: Admitted): boolean =>
  wireId === admitted.wireId && (secretHash === null || secretHash.equals(admitted.secretHash));

const findAddress = (candidates: readonly Candidate[], admitted: Admitted): string | null =>
  candidates.findLast((one) => isProved(one, admitted))?.address ?? null;

export function createConnections(ctx: Context, options: Options) {
  const { gatewayId, isConnected, checkSecret, onMoved, onReplaced } = options;
  const numbers = new Map<string, number>();
  const replacedElsewhere = new Map<string, number>();

  function announce(connections: { sensorId: string; number: number; address: string | null }[]) {
    for (let from = 0; from < connections.length; from += perMessage) {
      const part = connections.slice(from, from + perMessage);
      ctx.bus.send({ name: "sensorsConnected", event: { gatewayId, connections: part } });
    }
  }

  function replace(sensorId: string, number: number, to: string | null) {
    const held = numbers.get(sensorId);
    if (held === undefined) {
      replacedElsewhere.set(sensorId, Math.max(number, replacedElsewhere.get(sensorId) ?? 0));
      if (replacedElsewhere.size > maxRemembered) replacedElsewhere.delete(replacedElsewhere.keys().next().value ?? "");
    } else if (held < number) {
      numbers.delete(sensorId);
      onReplaced(sensorId, to);
    }
  }

  const admitTogether = createBatcher(async (candidates: Candidate[]) => {
    const rows = await store.admitConnections(ctx.db, gatewayId, candidates);
    for (const row of rows) {
      if ((replacedElsewhere.get(row.id) ?? 0) > row.number) continue;
      replacedElsewhere.delete(row.id);
      numbers.set(row.id, Math.max(row.number, numbers.get(row.id) ?? 0));
      if (row.isMoved) onMoved(row);
    }
    announce(
      rows
        .filter((row) => row.isMoved)
        .map((row) => ({ sensorId: row.id, number: row.number, address: findAddress(candidates, row) })),
    );
    return new Map(rows.map((row) => [row.wireId, row]));
  }, gatherMs);

  async function tryToAdmit(candidate: Candidate): Promise<"admitted" | "replaced" | "unproved"> {
    const row = (await admitTogether(candidate)).get(candidate.wireId);
    if (!row || !isProved(candidate, row)) return "unproved";
    return numbers.has(row.id) ? "admitted" : "replaced";
  }

  const off = ctx.bus.on("sensorsConnected", (event) => {
    if (event.gatewayId === gatewayId) return;
    for (const { sensorId, number, address } of event.connections) replace(sensorId, number, address);
  });

  return {
    /**
     * Whether the device may connect: with a secret that may be used now, and if it has not connected elsewhere meanwhile. Resolves once
     * the number of the connection is stored.
     */
    async admit(wireId: string, secret: string, address: string): Promise<boolean> {
      // Most devices have their present secret, so that one statement is enough.
      const outcome = await tryToAdmit({ wireId, address, secretHash: hashToken(secret) });
      if (outcome !== "unproved") return outcome === "admitted";
      if (!(await checkSecret(wireId, secret))) return false;
      return (await tryToAdmit({ wireId, address, secretHash: null })) === "admitted";
    },
    /** The number of the device's connection here; undefined if it has connected elsewhere since. */
    numberOf: (sensorId: string) => numbers.get(sensorId),
    adopt(sensors: readonly store.HeldConnection[]) {
      for (const { id, number } of sensors) numbers.set(id, number);
    },
    /** Called after notifications may have been lost. */
    async recheck() {
      const held = [...numbers.keys()];
      for (let from = 0; from < held.length; from += chunkSize) {
        const part = held.slice(from, from + chunkSize);
        for (const { id, number } of await store.findConnectionsElsewhere(ctx.db, gatewayId, part))
          replace(id, number, null);
      }
    },
    /** Called after the lease had ended: takes back the connected sensors that another gateway took over meanwhile. */
    async readmit() {
      const held = [...numbers].map(([id, number]) => ({ id, number }));
      const open = held.filter(({ id }) => isConnected(id));
      const kept = new Map<string, number>();
      for (let from = 0; from < open.length; from += chunkSize)
        for (const one of await store.readmitConnections(ctx.db, gatewayId, open.slice(from, from + chunkSize)))
          kept.set(one.id, one.number);
      for (const { id, number } of held) {
        if (numbers.get(id) !== number) continue;
        const next = kept.get(id);
        if (next === undefined) replace(id, number + 1, null);
        else numbers.set(id, next);
      }
      announce([...kept].map(([sensorId, number]) => ({ sensorId, number, address: null })));
    },
    stop: off,
  };
}
