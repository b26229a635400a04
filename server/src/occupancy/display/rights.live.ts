// A display must not outlive the right to it: which open ones are checked again and closed (docs/rules/occupancy.md#display-tokens).
import { closeCodes } from "@psp/contract/live/channel.ts";
import pLimit from "p-limit";
import type { DisplayGuard, DisplayReader, Refusal } from "./display.guard.ts";

export type DisplayClient = {
  reader: DisplayReader;
  /** How many messages it was sent. */
  sent: number;
  send(frame: string): void;
  close(code: number, reason: string): void;
};

const atOnce = 8;

/** `clientsOf`: the open displays of a location. */
export function createRightChecks(
  guard: Pick<DisplayGuard, "refusalOf">,
  clientsOf: (locationId: string) => Iterable<DisplayClient>,
) {
  const waiting = new Set<string>();
  const limit = pLimit(atOnce);
  let working: Promise<void> | null = null;

  /** Each reader is asked about once, however many displays it has open. */
  async function checkAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (const id of waiting) {
      // What is added while others are looked at comes last.
      waiting.delete(id);
      const byReader = Map.groupBy(clientsOf(id), ({ reader }) => `${reader.kind} ${reader.key}`);
      await Promise.all([...byReader.values()].map((clients) => limit(() => check(clients, id))));
    }
  }

  /** All by the same reader. */
  async function check(clients: readonly DisplayClient[], locationId: string): Promise<void> {
    const [first] = clients;
    // Rights that can't be read are none.
    const refusal = first && (await guard.refusalOf(first.reader, locationId).catch(() => "invisible" as const));
    if (refusal) for (const client of clients) refuse(client, refusal);
  }

  return {
    check: (client: DisplayClient, locationId: string) => void check([client], locationId),
    /** Looks at all displays of these locations, soon. */
    recheck(locationIds: Iterable<string>): void {
      for (const id of locationIds) waiting.add(id);
      if (waiting.size > 0) working ??= checkAll().finally(() => (working = null));
    },
    settled: () => working ?? Promise.resolve(),
  };
}

export function refuse(client: DisplayClient, refusal: Refusal): void {
  if (refusal === "unknown") client.close(closeCodes.sessionEnded, "Session ended");
  else client.close(closeCodes.roleChanged, "Rights changed");
}
