// A button that opens a menu of actions.
import { Button, type ButtonProps, ListItemIcon, Menu, MenuItem } from "@mui/material";
import { type ReactNode, useState } from "react";
import { Disabled } from "./feedback/Disabled.tsx";

type MenuEntry = {
  label: string;
  icon?: ReactNode;
  onClick: () => void;
  selected?: boolean;
  danger?: boolean;
  /** Why the action is unavailable; the entry stays focusable. */
  disabledReason?: string | undefined;
};

type MenuButtonProps = Omit<ButtonProps, "onClick"> & {
  entries: readonly MenuEntry[];
  /** Aligns the menu with the button's right edge. By default, it opens below the button, aligned with the left edge. */
  placement?: "below" | "above";
};

export function MenuButton({ entries, placement, ...button }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const close = () => setAnchor(null);
  const [of, to] = placement === "above" ? (["top", "bottom"] as const) : (["bottom", "top"] as const);
  const aligned = {
    anchorOrigin: { vertical: of, horizontal: "right" },
    transformOrigin: { vertical: to, horizontal: "right" },
  } as const;
  return (
    <>
      <Button
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
        {...button}
      />
      <Menu anchorEl={anchor} open={anchor !== null} onClose={close} {...(placement && aligned)}>
        {entries.map(({ label, icon, onClick, selected = false, danger = false, disabledReason }) => {
          const choose = () => {
            close();
            onClick();
          };
          const item = (
            <MenuItem key={label} selected={selected} onClick={choose} sx={danger ? { color: "error.main" } : {}}>
              {icon === undefined ? null : <ListItemIcon>{icon}</ListItemIcon>}
              {label}
            </MenuItem>
          );
          // Isn't wrapped, because the menu looks for the selected item among its direct children.
          if (disabledReason === undefined) return item;
          return (
            <Disabled key={label} reason={disabledReason}>
              {item}
            </Disabled>
          );
        })}
      </Menu>
    </>
  );
}
