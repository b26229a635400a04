// The permissions of a role in six tabs: every scope of the rights document, and in words whom it reaches (spec 1 §2, §5).
import { Box, Stack, Tab, Tabs, Typography } from "@mui/material";
import { useId, useState } from "react";
import { useActor } from "../session/session.tsx";
import { useRoleNames } from "./RolesPicker.tsx";
import { RightSwitch, ScopeGroup } from "./ScopeGroup.tsx";
import { createAccountsReason, limitOf, type Rights, rightTabs, withScope } from "./permission.form.ts";
import { permissionText } from "./permission.text.ts";

type PermissionEditorProps = {
  rights: Rights;
  /** As they are saved: what the role had may be had again. */
  before: Rights;
  onChange: (rights: Rights) => void;
  readOnly: boolean;
};

export function PermissionEditor({ rights, before, onChange, readOnly }: PermissionEditorProps) {
  const actor = useActor();
  const id = useId();
  const [current, setCurrent] = useState(rightTabs[0]?.id ?? "");
  const nameOf = useRoleNames(Object.values(rights.scopes).flatMap((scope) => scope.roles ?? []));
  const tab = rightTabs.find((each) => each.id === current);
  return (
    <Box component="section" aria-labelledby={`${id}-title`} sx={{ minWidth: 0 }}>
      <Typography id={`${id}-title`} variant="h2" sx={{ mb: 1 }}>
        {permissionText.title}
      </Typography>
      <Tabs
        value={current}
        onChange={(_, next: string) => setCurrent(next)}
        variant="scrollable"
        scrollButtons="auto"
        selectionFollowsFocus
        aria-label={permissionText.tabs}
        sx={{ borderBottom: 1, borderColor: "divider" }}
      >
        {rightTabs.map((each) => (
          <Tab
            key={each.id}
            value={each.id}
            label={each.name}
            id={`${id}-${each.id}`}
            aria-controls={`${id}-panel`}
            sx={{ minWidth: 0 }}
          />
        ))}
      </Tabs>
      <Stack role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`} sx={{ gap: 3, pt: 3 }}>
        {current === "owner" ? (
          <Box sx={{ display: "flex", alignItems: "center", flexWrap: "wrap", columnGap: 4 }}>
            <RightSwitch
              label={permissionText.createAccounts}
              on={rights.createAccounts}
              onChange={(createAccounts) => onChange({ ...rights, createAccounts })}
              reason={createAccountsReason(actor, {
                now: rights.createAccounts,
                before: before.createAccounts,
                readOnly,
              })}
            />
            <Box component="span" sx={{ color: "text.secondary" }}>
              {rights.createAccounts ? permissionText.createAccountsOn : permissionText.notAllowed}
            </Box>
          </Box>
        ) : null}
        {tab?.groups.map((group) => (
          <ScopeGroup
            key={group.key}
            group={group}
            scope={rights.scopes[group.key] ?? {}}
            limit={limitOf(actor, group.key, before)}
            readOnly={readOnly}
            nameOf={nameOf}
            onChange={(change) => onChange(withScope(rights, group.key, change))}
          />
        ))}
      </Stack>
    </Box>
  );
}
