// Shows what happens to the contents of an account when it is deleted, and hands over its sensors and locations.
import type { Account } from "@psp/contract/account/account.ts";
import { batchUpdateLocations } from "@psp/contract/location/location.batch.api.ts";
import { resolveChangeOwnerScopes } from "@psp/contract/permission/can.ts";
import { contains } from "@psp/contract/permission/scope.ts";
import { batchUpdateSensors } from "@psp/contract/sensor/sensor.batch.api.ts";
import { Box, Skeleton } from "@mui/material";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { type RelatedCount, useRelatedCounts } from "../../entity/CountLinks.tsx";
import { AccountSelect } from "../../entity/reference/AccountSelect.tsx";
import { toOwner, useCan, useOwners } from "../../api/session/useCan.ts";
import { accountClosingText as text } from "../account.ending.text.ts";

type Ending = Pick<Account, "_id" | "credentials" | "parentAccounts" | "role">;

const owned = ["sensor", "measurement", "artifact", "role"] as const;

function useBelongings(id: string) {
  const related: RelatedCount[] = [
    ...owned.map((type) => ({ type, filter: { ownerID: id } })),
    { type: "account", filter: { parentID: id } },
  ];
  const counted = useRelatedCounts(related);
  const countOf = (type: RelatedCount["type"]) => counted.find((one) => one.type === type)?.count ?? null;
  return { countOf, isPending: counted.some(({ count, isError }) => count === undefined && !isError) };
}

export function useAccountClosing(account: Ending) {
  const { countOf, isPending } = useBelongings(account._id);
  const { actor } = useCan();
  const { ownerOf, ready } = useOwners([account._id]);
  const [heir, setHeir] = useState<string | null>(null);
  const owner = toOwner(account, ownerOf(account._id));
  const mayGive = (type: "sensor" | "measurement") => contains(resolveChangeOwnerScopes(actor, type).from, owner);
  const given = (["measurement", "sensor"] as const).filter((type) => (countOf(type) ?? 0) > 0 && mayGive(type));
  return {
    account,
    countOf,
    isPending: isPending || !ready,
    given,
    heir,
    setHeir,
    /** Hands over locations first, so that sensors stay assigned to them. Throws if anything failed. */
    async handOver() {
      if (heir !== null) for (const type of given) await give(type, account._id, heir, countOf(type) ?? 0);
    },
  };
}

async function give(type: "sensor" | "measurement", from: string, owner: string, expectedCount: number): Promise<void> {
  const query = { ownerID: [from] };
  const { fail } = await (type === "sensor"
    ? call(batchUpdateSensors, { body: { sensorQuery: query, expectedCount, changes: { owner } } })
    : call(batchUpdateLocations, { body: { measQuery: query, expectedCount, changes: { owner } } }));
  const [first] = fail;
  if (first !== undefined) throw new Error(text.notGiven(type, fail.length, first.details?.reason ?? first.errMessage));
}

type AccountClosingProps = { ending: ReturnType<typeof useAccountClosing> };

export function AccountClosing({ ending: { account, countOf, isPending, heir, given } }: AccountClosingProps) {
  if (isPending) return <Skeleton height={96} />;
  const [firmware, roles] = [countOf("artifact") ?? 0, countOf("role") ?? 0];
  const goes = (type: "sensor" | "measurement") => heir !== null && given.includes(type);
  const lines = [
    text.sensors(countOf("sensor"), goes("sensor")),
    text.locations(countOf("measurement"), goes("measurement")),
    ...(firmware + roles > 0 ? [text.others(firmware, roles)] : []),
    text.logins(account.credentials.length),
    text.subAccounts(countOf("account") ?? 0),
  ];
  return (
    <Box component="ul" aria-label={text.label} sx={{ pl: 5, my: 3, display: "flex", flexDirection: "column", gap: 1 }}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </Box>
  );
}

export function NewOwnerField({ ending: { account, countOf, isPending, given, heir, setHeir } }: AccountClosingProps) {
  if (isPending || (countOf("sensor") === 0 && countOf("measurement") === 0)) return null;
  if (given.length === 0) return <Box sx={{ mt: 4 }}>{text.mayNotGive}</Box>;
  return (
    <Box sx={{ mt: 4 }}>
      <AccountSelect
        label={text.newOwner}
        placeholder={text.noNewOwner}
        helperText={heir === null ? text.newOwnerHint : text.handOverHint}
        choice={given.includes("sensor") ? "receiveSensor" : "receiveMeasurement"}
        exclude={[account._id]}
        value={heir}
        onChange={(id) => setHeir(id)}
      />
    </Box>
  );
}
