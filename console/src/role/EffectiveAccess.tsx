// Shows how many objects an account could see with the displayed permissions, saved or not. The server counts them.
import { listAccounts } from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import { previewRole } from "@psp/contract/role/role.api.ts";
import { Box, Typography } from "@mui/material";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AccountSelect } from "../entity/reference/AccountSelect.tsx";
import { call } from "../api/call.ts";
import { toListResult } from "../api/listed.ts";
import { useCan } from "../api/session/useCan.ts";
import { type Rights, toPermissions } from "./permission.form.ts";
import { permissionText } from "./permission.text.ts";

type Shown = { id: string; name: string };

function useFirstHolder(roleId: string) {
  return useQuery({
    queryKey: ["account", "total", "holder", roleId],
    queryFn: async ({ signal }): Promise<Shown | null> => {
      const found = await call(listAccounts, { query: { roleID: roleId, limit: "1", sortBy: "name" }, signal });
      const [account] = toListResult<Account>(found).objects;
      return account === undefined ? null : { id: account._id, name: account.name };
    },
  });
}

function usePreview(roleId: string, account: Shown | null, rights: Rights) {
  const permissions = toPermissions(rights);
  return useQuery({
    // The key starts with "sensor", so that sensor changes refetch it.
    queryKey: ["sensor", "total", "preview", roleId, account?.id, permissions],
    queryFn: ({ signal }) =>
      call(previewRole, { params: { id: roleId }, body: { account: account?.id ?? "", permissions }, signal }),
    enabled: account !== null,
    placeholderData: keepPreviousData,
  });
}

export function EffectiveAccess(props: { roleId: string; rights: Rights }) {
  const can = useCan();
  return can.viewType("sensor") && can.viewAnyAccount() ? <Preview {...props} /> : null;
}

function Preview({ roleId, rights }: { roleId: string; rights: Rights }) {
  const first = useFirstHolder(roleId);
  const [picked, setPicked] = useState<Shown | null>(null);
  const chosen = picked ?? first.data ?? null;
  const preview = usePreview(roleId, chosen, rights);
  const says = () => {
    if (first.isError || preview.isError) return permissionText.previewFailed;
    if (chosen === null) return first.isPending ? permissionText.previewCounting : permissionText.previewPick;
    const { data } = preview;
    if (data === undefined || preview.isPlaceholderData) return permissionText.previewCounting;
    return data.accounts === 0
      ? permissionText.previewNothing(chosen.name)
      : permissionText.previewSees(chosen.name, data.sensors, data.accounts);
  };
  return (
    <Box component="section" aria-label={permissionText.preview} sx={{ display: "grid", gap: 3 }}>
      <Typography variant="h2">{permissionText.preview}</Typography>
      <Box sx={{ display: "grid", alignItems: "center", gap: 4, gridTemplateColumns: { xs: "1fr", sm: "260px 1fr" } }}>
        <AccountSelect
          label={permissionText.previewAccount}
          value={chosen?.id ?? null}
          onChange={(id, name) => setPicked(id === null ? null : { id, name })}
          valueName={chosen?.name}
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
