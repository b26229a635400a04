// A row of the account tree: toggle, name with presence, role, and buttons while hovered or focused.
import type { Account } from "@psp/contract/account/account.ts";
import ChevronRightRounded from "~icons/ic/round-chevron-right";
import { Box, Button, Chip } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { useHref, useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { rowHeight, useDensity } from "../../ui/theme/density.tsx";
import { TipButton } from "../../ui/feedback/TipButton.tsx";
import { isPlainClick } from "../../ui/plainClick.ts";
import { RowActions } from "../../ui/table/row/RowActions.tsx";
import { RowTabIndex } from "../../ui/table/row/rowTabIndex.ts";
import { OwnerLink } from "../../entity/reference/OwnerLink.tsx";
import { awaitsReview } from "../account.rules.ts";
import { accountText } from "../account.text.ts";
import { useAccountActions } from "./useAccountActions.tsx";

/** Indentation in units of 4 px, limited so that names stay readable on phones. */
const inset = (depth: number) => 1 + Math.min(depth - 1, 12) * 4;

const lineLook = {
  "& > [data-line]": { outline: "2px solid var(--mui-palette-primary-main)", outlineOffset: "-2px" },
} as const;

/** The role is below the name on phones, so that neither is truncated. */
const nameAndRole = {
  display: "flex",
  minWidth: 0,
  flexDirection: { xs: "column", sm: "row" },
  alignItems: { xs: "flex-start", sm: "center" },
  columnGap: 2,
  py: { xs: 1, sm: 0 },
} as const;

const roleLook = {
  minWidth: 0,
  ml: { xs: "18px", sm: 0 },
  // If there is little room, the role shrinks before the name.
  flexShrink: 1000,
  color: "text.secondary",
  fontSize: "0.8125rem",
  overflow: "hidden",
  textOverflow: "ellipsis",
  whiteSpace: "nowrap",
} as const;

/** A real link, but not a tab stop, because Enter on the row does the same. */
const Name = styled("a")({
  flex: "0 1 auto",
  minWidth: 0,
  lineHeight: "24px",
  color: "inherit",
  textDecoration: "none",
  "&:hover": { textDecoration: "underline" },
});

type AccountTreeRowProps = {
  account: Account;
  /** Level in the tree, starting at 1. */
  depth: number;
  first: boolean;
  /** Null if the account has no children. */
  open: boolean | null;
  onToggle: () => void;
  muted?: boolean;
  children: ReactNode;
};

export function AccountTreeRow(props: AccountTreeRowProps) {
  const { account, depth, first, open, onToggle, muted = false, children } = props;
  const go = useGo();
  const actionsOf = useAccountActions([account]);
  const height = rowHeight(useDensity().density);
  const groupId = useId();
  const waits = awaitsReview(account);
  const [entered, setEntered] = useState(false);
  const edit = () => go(paths.account(account._id));
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.target !== event.currentTarget || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    edit();
  };
  return (
    <Box
      component="li"
      role="none"
      onFocus={(event) => setEntered(event.target.closest("li") === event.currentTarget)}
      onBlur={(event) => {
        if (event.relatedTarget?.closest("li") !== event.currentTarget) setEntered(false);
      }}
      sx={{ "&:has(> [data-line] > [role=treeitem]:focus-visible)": lineLook }}
    >
      <Box
        data-line=""
        onClick={edit}
        sx={{
          display: "flex",
          alignItems: "center",
          gap: 2,
          minHeight: height,
          pl: inset(depth),
          pr: 2,
          borderTop: 1,
          borderColor: "divider",
          cursor: "pointer",
          contentVisibility: "auto",
          containIntrinsicSize: `auto ${height}px`,
          "&:hover": { bgcolor: "action.hover" },
          "@media (hover: hover)": {
            "&:not(:hover, :focus-within) [data-row-actions]": { opacity: entered ? 1 : 0 },
          },
          "@media (pointer: coarse)": { minHeight: 48 },
        }}
      >
        <Box
          role="treeitem"
          aria-level={depth}
          {...(open === null ? {} : { "aria-expanded": open, "aria-owns": groupId })}
          tabIndex={first ? 0 : -1}
          onKeyDown={onKeyDown}
          sx={{ display: "flex", alignItems: "center", gap: 2, minWidth: 0, flex: 1, outline: "none" }}
        >
          <Toggle open={open} onToggle={onToggle} />
          <Box sx={nameAndRole}>
            <NameLink account={account} muted={muted} onOpen={edit} />
            <Box sx={roleLook}>
              <RowTabIndex value={entered ? 0 : -1}>
                <RoleName account={account} />
              </RowTabIndex>
            </Box>
          </Box>
          {waits ? (
            <Chip
              size="small"
              color="warning"
              variant="outlined"
              label={accountText.toReview}
              sx={{ display: { xs: "none", sm: "inline-flex" } }}
            />
          ) : null}
          <Box sx={{ ml: "auto", flex: "none" }}>
            <RowActions actions={actionsOf(account)} tabIndex={entered ? 0 : -1} />
          </Box>
        </Box>
      </Box>
      {open === null || !open ? null : (
        <Box component="ul" id={groupId} role="group" sx={{ listStyle: "none", m: 0, p: 0 }}>
          {children}
        </Box>
      )}
    </Box>
  );
}

/** Toggle for the pointer. Keyboard users toggle the focused row. */
function Toggle({ open, onToggle }: Pick<AccountTreeRowProps, "open" | "onToggle">) {
  if (open === null) return <Box sx={{ width: 24, flex: "none" }} />;
  return (
    <Box
      data-toggle=""
      aria-hidden
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
      sx={{ width: 24, height: 24, flex: "none", display: "grid", placeItems: "center", borderRadius: 1 }}
    >
      <ChevronRightRounded sx={{ fontSize: 18, transform: open ? "rotate(90deg)" : "none" }} />
    </Box>
  );
}

type NameLinkProps = { account: Account; muted: boolean; onOpen: () => void };

function NameLink({ account, muted, onOpen }: NameLinkProps) {
  const address = useHref();
  return (
    <Name
      href={address(paths.account(account._id))}
      tabIndex={-1}
      style={muted ? { color: "var(--mui-palette-text-secondary)" } : {}}
      onClick={(event) => {
        event.stopPropagation();
        if (!isPlainClick(event)) return;
        event.preventDefault();
        onOpen();
      }}
    >
      <OwnerLink owner={account} />
    </Name>
  );
}

export function RoleName({ account }: { account: Pick<Account, "role"> }) {
  if (account.role !== null) return <>{account.role.name}</>;
  return <TipButton text={accountText.roleGone}>-</TipButton>;
}

export function TreeActionRow(props: { depth: number; label: string; onClick: () => void; icon?: ReactNode }) {
  return (
    <Box
      component="li"
      role="treeitem"
      aria-level={props.depth}
      aria-label={props.label}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        props.onClick();
      }}
      sx={{ outline: "none", "&:focus-visible": lineLook }}
    >
      <Box data-line="" sx={{ pl: inset(props.depth) + 6, py: 1, borderTop: 1, borderColor: "divider" }}>
        <Button size="small" tabIndex={-1} onClick={props.onClick} startIcon={props.icon}>
          {props.label}
        </Button>
      </Box>
    </Box>
  );
}
