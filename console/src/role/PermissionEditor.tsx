// Edits the permissions of a role in six tabs, with a description of every scope (RO-03).
import { Box, Stack, Tab, Tabs, Typography } from "@mui/material";
import { useEffect, useId, useRef } from "react";
import { useActor } from "../api/session/session.tsx";
import { useRoleNames } from "./RolesPicker.tsx";
import { RightSwitch, ScopeGroup } from "./ScopeGroup.tsx";
import { accountCreationKey } from "./matrix/matrix.ts";
import { createAccountsDisabledReason, limitOf, type Rights, rightTabs, withScope } from "./permission.form.ts";
import { permissionText } from "./permission.text.ts";

type PermissionEditorProps = {
  rights: Rights;
  /** The saved rights, which may be kept even if the user's own role lacks them. */
  before: Rights;
  onChange: (rights: Rights) => void;
  readOnly: boolean;
  current: string;
  onTab: (id: string) => void;
  /** The right to focus. Each request is a new object, so that the same right can be requested twice. */
  sought: { key: string } | null;
};

export function PermissionEditor(props: PermissionEditorProps) {
  const { rights, before, onChange, readOnly, current, onTab, sought } = props;
  const actor = useActor();
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (sought === null) return;
    const setting = panel.current?.querySelector<HTMLElement>(`[data-right="${sought.key}"]`);
    setting?.querySelector<HTMLElement>("input")?.focus({ preventScroll: true });
    setting?.scrollIntoView({ block: "nearest" });
  }, [sought]);
  const nameOf = useRoleNames(Object.values(rights.scopes).flatMap((scope) => scope.roles ?? []));
  const tab = rightTabs.find((each) => each.id === current);
  return (
    <Box component="section" aria-labelledby={`${id}-title`} sx={{ minWidth: 0 }}>
      <Typography id={`${id}-title`} variant="h2" sx={{ mb: 1 }}>
        {permissionText.title}
      </Typography>
      <Tabs
        value={current}
        onChange={(_, next: string) => onTab(next)}
        selectionFollowsFocus
        aria-label={permissionText.tabs}
        sx={{
          borderBottom: 1,
          borderColor: "divider",
          // Tabs may wrap, so each tab draws its underline.
          "& .MuiTabs-list": { flexWrap: "wrap" },
          "& .MuiTabs-indicator": { display: "none" },
          "& .MuiTab-root": {
            borderBottom: "2px solid transparent",
            "&.Mui-selected": { borderColor: "currentcolor" },
          },
        }}
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
      <Stack ref={panel} role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`} sx={{ gap: 3, pt: 3 }}>
        {current === "owner" ? (
          <Box
            data-right={accountCreationKey}
            sx={{ display: "flex", alignItems: "center", flexWrap: "wrap", columnGap: 4 }}
          >
            <RightSwitch
              label={permissionText.createAccounts}
              on={rights.createAccounts}
              onChange={(createAccounts) => onChange({ ...rights, createAccounts })}
              reason={createAccountsDisabledReason(actor, {
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
