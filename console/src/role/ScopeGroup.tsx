// Switches, roles and ancestor level of one right, with a description.
import { type Scope } from "@psp/contract/permission/scope.ts";
import { maxAncestorLevel } from "@psp/contract/permission/document.ts";
import { Box, Switch, TextField } from "@mui/material";
import { useId, useState } from "react";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { Tip } from "../ui/feedback/Tip.tsx";
import { RolesPicker } from "./RolesPicker.tsx";
import {
  levelLimit,
  type GrantLimit,
  describeReach,
  type RightGroup,
  grantableRoles,
  switchDisabledReason,
} from "./permission.form.ts";
import { permissionText } from "./permission.text.ts";

type RightSwitchProps = { label: string; on: boolean; onChange: (on: boolean) => void; reason: string | undefined };

export function RightSwitch({ label, on, onChange, reason }: RightSwitchProps) {
  return (
    <Box
      component="label"
      sx={{ display: "inline-flex", alignItems: "center", gap: 2, minHeight: 40, whiteSpace: "nowrap" }}
    >
      <Disabled kind="input" reason={reason}>
        <Switch
          checked={on}
          onChange={(event) => onChange(event.target.checked)}
          slotProps={{ input: { role: "switch", "aria-label": label } }}
          sx={reason === undefined ? {} : { opacity: 0.5 }}
        />
      </Disabled>
      <Box component="span" sx={{ color: reason === undefined ? "text.primary" : "text.secondary" }}>
        {label}
      </Box>
    </Box>
  );
}

type ScopeGroupProps = {
  group: RightGroup;
  scope: Scope;
  limit: GrantLimit;
  readOnly: boolean;
  onChange: (change: Scope) => void;
  nameOf: (id: string) => string | undefined;
};

export function ScopeGroup({ group, scope, limit, readOnly, onChange, nameOf }: ScopeGroupProps) {
  const wordsId = useId();
  const reach = describeReach(scope, nameOf);
  const allowed = grantableRoles(limit);
  const roles = scope.roles ?? [];
  // Existing roles can always be removed, so only an empty picker is disabled.
  const rolesReason = readOnly
    ? permissionText.readOnly
    : roles.length === 0 && allowed !== null && allowed.length === 0
      ? permissionText.notHeld
      : undefined;
  return (
    <Box
      component="fieldset"
      aria-describedby={wordsId}
      data-right={group.key}
      sx={{
        m: 0,
        p: 0,
        border: 0,
        minWidth: 0,
        display: "grid",
        gap: 2,
        "&:not(:last-of-type)": { borderBottom: 1, borderColor: "divider", pb: 3 },
      }}
    >
      <Box component="legend" sx={{ p: 0, fontWeight: 600 }}>
        {group.name}
      </Box>
      <Box id={wordsId} sx={{ color: "text.secondary" }}>
        {reach === null ? permissionText.notAllowed : `${group.lead} ${reach}`}
      </Box>
      <Box
        sx={{
          display: "grid",
          alignItems: "start",
          columnGap: 6,
          rowGap: 3,
          gridTemplateColumns: { xs: "minmax(0, 1fr) 116px", sm: "auto minmax(0, 1fr) 148px" },
        }}
      >
        <Box sx={{ display: "flex", columnGap: 6, flexWrap: "wrap", gridColumn: { xs: "1 / -1", sm: "auto" } }}>
          {(["me", "myChildren"] as const).map((part) => (
            <RightSwitch
              key={part}
              label={permissionText[part]}
              on={scope[part] === true}
              onChange={(on) => onChange({ [part]: on })}
              reason={switchDisabledReason(part, group.key, { limit, scope, readOnly })}
            />
          ))}
        </Box>
        <RolesPicker
          value={roles}
          onChange={(next) => onChange({ roles: next })}
          allowed={allowed}
          nameOf={nameOf}
          reason={rolesReason}
        />
        <LevelField
          value={scope.relativeAncestorLevel ?? 0}
          highest={levelLimit(limit, maxAncestorLevel)}
          readOnly={readOnly}
          onChange={(relativeAncestorLevel) => onChange({ relativeAncestorLevel })}
        />
      </Box>
    </Box>
  );
}

type LevelFieldProps = { value: number; highest: number; readOnly: boolean; onChange: (level: number) => void };

/** Number of ancestor levels. Immediately reports a level beyond the user's own, which the server would refuse (308). */
function LevelField({ value, highest, readOnly, onChange }: LevelFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? String(value);
  const isLevel = (level: string) => /^\d{1,3}$/.test(level) && Number(level) <= maxAncestorLevel;
  const problem = !isLevel(text)
    ? permissionText.levelWhole(maxAncestorLevel)
    : value > highest
      ? permissionText.levelBeyond(highest)
      : undefined;
  const reason = readOnly ? permissionText.readOnly : highest === 0 && value === 0 ? permissionText.notHeld : undefined;
  return (
    <Tip text={() => reason} delayMs={150}>
      <TextField
        size="small"
        label={permissionText.level}
        value={text}
        error={problem !== undefined}
        helperText={problem}
        onChange={(event) => {
          const next = event.target.value.trim();
          setTyped(next);
          if (isLevel(next)) onChange(Number(next));
        }}
        onBlur={() => setTyped(null)}
        slotProps={{
          htmlInput: { inputMode: "numeric", "aria-description": reason },
          input: { readOnly: reason !== undefined },
        }}
      />
    </Tip>
  );
}
