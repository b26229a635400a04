// A button that opens a menu of things to do.
import { Button, type ButtonProps, ListItemIcon, Menu, MenuItem, type MenuProps } from "@mui/material";
import { type ReactNode, useState } from "react";
import { Disabled } from "./feedback/Disabled.tsx";

type MenuEntry = {
  label: string;
  icon?: ReactNode;
  onClick: () => void;
  selected?: boolean;
  danger?: boolean;
  /** Why it can't be done; the entry stays focusable. */
  disabledReason?: string | undefined;
};

/** Where the menu lies; by default below the button's left edge. */
const places: Record<"below" | "above", Pick<MenuProps, "anchorOrigin" | "transformOrigin">> = {
  below: {
    anchorOrigin: { vertical: "bottom", horizontal: "right" },
    transformOrigin: { vertical: "top", horizontal: "right" },
  },
  above: {
    anchorOrigin: { vertical: "top", horizontal: "right" },
    transformOrigin: { vertical: "bottom", horizontal: "right" },
  },
};

type MenuButtonProps = Omit<ButtonProps, "onClick"> & { entries: readonly MenuEntry[]; place?: keyof typeof places };

export function MenuButton({ entries, place, ...button }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const close = () => setAnchor(null);
  return (
    <>
      <Button
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
        {...button}
      />
      <Menu anchorEl={anchor} open={anchor !== null} onClose={close} {...(place && places[place])}>
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
          // The menu looks for the selected one among its own children.
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
