// One button for several ways to create something: a menu button top right on the desk, a speed dial on the phone.
import AddRounded from "@mui/icons-material/AddRounded";
import ExpandMoreRounded from "@mui/icons-material/ExpandMoreRounded";
import Button from "@mui/material/Button";
import ListItemIcon from "@mui/material/ListItemIcon";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import MuiSpeedDial from "@mui/material/SpeedDial";
import SpeedDialAction from "@mui/material/SpeedDialAction";
import useMediaQuery from "@mui/material/useMediaQuery";
import { type ReactNode, useState } from "react";
import { phoneWidth } from "../theme/theme.ts";
import { floating } from "./PageHeader.tsx";

export type SpeedDialItem = { label: string; icon: ReactNode; onClick: () => void };

/** `label` as in "Add account". Hand it to PageHeader's `action`. */
export function SpeedDial({ label, items }: { label: string; items: readonly SpeedDialItem[] }) {
  const phone = useMediaQuery(`(max-width: ${phoneWidth - 0.05}px)`, { noSsr: true });
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const [open, setOpen] = useState(false);
  if (phone) {
    return (
      <MuiSpeedDial
        ariaLabel={label}
        data-floating=""
        icon={<AddRounded />}
        open={open}
        onOpen={(_, reason) => {
          if (reason !== "mouseEnter" && reason !== "focus") setOpen(true);
        }}
        onClose={() => setOpen(false)}
        sx={{
          ...floating,
          "& .MuiSpeedDialAction-fab, & .MuiSpeedDialAction-staticTooltipLabel": {
            border: 1,
            borderColor: "divider",
            bgcolor: "background.paper",
            color: "text.primary",
          },
          "& .MuiSpeedDialAction-staticTooltipLabel": { whiteSpace: "nowrap", fontSize: "0.875rem", fontWeight: 600 },
        }}
      >
        {items.map((item) => (
          <SpeedDialAction
            key={item.label}
            icon={item.icon}
            onClick={() => {
              setOpen(false);
              item.onClick();
            }}
            slotProps={{ tooltip: { title: item.label, open: true } }}
          />
        ))}
      </MuiSpeedDial>
    );
  }
  return (
    <>
      <Button
        variant="contained"
        startIcon={<AddRounded />}
        endIcon={<ExpandMoreRounded />}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
        sx={{ flex: "none" }}
      >
        {label}
      </Button>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={() => setAnchor(null)}
        anchorOrigin={{ vertical: "bottom", horizontal: "right" }}
        transformOrigin={{ vertical: "top", horizontal: "right" }}
      >
        {items.map((item) => (
          <MenuItem
            key={item.label}
            onClick={() => {
              setAnchor(null);
              item.onClick();
            }}
          >
            <ListItemIcon>{item.icon}</ListItemIcon>
            {item.label}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}
