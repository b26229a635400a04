// What the permissions on the screen would let one account see: counted with the rules and the data, saved or not.
import type { Account } from "@psp/contract/account/account.ts";
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { viewSet } from "@psp/contract/permission/can.ts";
import { contains } from "@psp/contract/permission/scope.ts";
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { AccountSelect } from "../account/AccountSelect.tsx";
import { call } from "../api/call.ts";
import { toOwner, useCan } from "../session/useCan.ts";
import { type Rights, toPermissions } from "./permission.form.ts";
import { permissionText } from "./permission.text.ts";

/** One page of the account list; with more, the preview says so instead of counting a part. */
const atMost = 500;
/** Owners per call, so that the address stays short. */
const perCall = 100;

type Seen = { accounts: readonly Account[]; total: number };

/** All accounts that the editor sees, deleted ones too: what they owned can still be seen. */
function useSeenAccounts() {
  return useQuery({
    queryKey: ["account", "list", "preview"],
    queryFn: async ({ signal }): Promise<Seen> => {
      const query = { limit: String(atMost), includeTotals: "true", includeDeleted: "true" } as const;
      const page = await call(listAccounts, { query, signal });
      return Array.isArray(page)
        ? { accounts: page, total: page.length }
        : { accounts: page.objects, total: page.total ?? page.objects.length };
    },
    staleTime: 60_000,
  });
}

function useSensorsOf(owners: readonly string[]) {
  return useQuery({
    queryKey: ["sensor", "total", "preview", owners],
    queryFn: async ({ signal }) => {
      let sum = 0;
      for (let from = 0; from < owners.length; from += perCall) {
        const query = { ownerID: owners.slice(from, from + perCall), limit: "1", includeTotals: "true" } as const;
        const page = await call(listSensors, { query, signal });
        sum += Array.isArray(page) ? page.length : (page.total ?? 0);
      }
      return sum;
    },
    enabled: owners.length > 0,
    placeholderData: keepPreviousData,
  });
}

/** Props: `roleId`, `rights` (as on the screen). */
export function EffectiveAccess({ roleId, rights }: { roleId: string; rights: Rights }) {
  const can = useCan();
  const seen = useSeenAccounts();
  const [picked, setPicked] = useState<string | null>(null);
  const accounts = seen.data?.accounts;
  // Until one is picked: the first that holds the role.
  const first = accounts?.find((each) => each.role?._id === roleId && !each.isDeleted);
  const chosen = picked ?? first?._id ?? null;
  const account = accounts?.find((each) => each._id === chosen);
  const complete = seen.data !== undefined && seen.data.total <= atMost;
  const owners = useMemo(() => {
    if (account === undefined || accounts === undefined || !complete) return [];
    const holder = { ...toOwner(account), roleId, permissions: toPermissions(rights) };
    const set = viewSet(holder, "sensor");
    // With this role the account itself is one of its holders, whatever it holds now.
    const asIf = (each: Account) => (each._id === account._id ? { ...toOwner(each), roleId } : toOwner(each));
    return accounts.filter((each) => contains(set, asIf(each))).map((each) => each._id);
  }, [account, accounts, complete, roleId, rights]);
  const sensors = useSensorsOf(owners);
  if (!can.viewType("sensor") || !can.viewAnyAccount()) return null;
  const name = account?.name ?? "";
  const says = () => {
    if (seen.data !== undefined && !complete)
      return permissionText.previewTooMany(new Intl.NumberFormat("en").format(atMost));
    if (seen.isError || sensors.isError) return permissionText.previewFailed;
    if (chosen === null) return permissionText.previewPick;
    if (account === undefined) return permissionText.previewCounting;
    if (owners.length === 0) return permissionText.previewNothing(name);
    if (sensors.data === undefined || sensors.isPlaceholderData) return permissionText.previewCounting;
    return permissionText.previewSees(name, sensors.data, owners.length);
  };
  return (
    <Box component="section" aria-label={permissionText.preview} sx={{ display: "grid", gap: 3 }}>
      <Typography variant="h2">{permissionText.preview}</Typography>
      <Box sx={{ display: "grid", alignItems: "center", gap: 4, gridTemplateColumns: { xs: "1fr", sm: "260px 1fr" } }}>
        <AccountSelect
          label={permissionText.previewAccount}
          value={chosen}
          onChange={(id) => setPicked(id)}
          valueName={account?.name}
          clearable={false}
        />
        <Box>
          <Box role="status">{says()}</Box>
          <Box sx={{ color: "text.secondary", fontSize: "0.75rem" }}>{permissionText.previewNote}</Box>
        </Box>
      </Box>
    </Box>
  );
}
