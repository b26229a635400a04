// A button that offers several kinds of objects to create, in a menu on wide screens and in a speed dial on phones.
import AddRounded from "~icons/ic/round-add";
import ExpandMoreRounded from "~icons/ic/round-expand-more";
import { SpeedDial as MuiSpeedDial, SpeedDialAction } from "@mui/material";
import { type ReactNode, useState } from "react";
import { useIsPhone } from "./theme/theme.ts";
import { MenuButton } from "./MenuButton.tsx";
import { floatingPosition } from "./PageHeader.tsx";

type SpeedDialItem = { label: string; icon: ReactNode; onClick: () => void };

/** For PageHeader's `action`. `label` is e.g. "Add account". */
export function SpeedDial({ label, items }: { label: string; items: readonly SpeedDialItem[] }) {
  const phone = useIsPhone();
  const [open, setOpen] = useState(false);
  if (!phone)
    return (
      <MenuButton
        variant="contained"
        startIcon={<AddRounded />}
        endIcon={<ExpandMoreRounded />}
        entries={items}
        placement="below"
        sx={{ flex: "none" }}
      >
        {label}
      </MenuButton>
    );
  return (
    <MuiSpeedDial
      ariaLabel={label}
      data-floating=""
      icon={<AddRounded />}
      open={open}
      onOpen={(_, reason) => {
        if (reason !== "mouseEnter" && reason !== "focus") setOpen(true);
      }}
      // Browsers fire a leave event immediately after a tap, which must not close the menu.
      onClose={(_, reason) => {
        if (reason !== "mouseLeave") setOpen(false);
      }}
      sx={{
        ...floatingPosition,
        "& .MuiSpeedDialAction-fab, & .MuiSpeedDialAction-staticTooltipLabel": {
          border: 1,
          borderColor: "divider",
          bgcolor: "background.paper",
          color: "text.primary",
        },
        "& .MuiSpeedDialAction-staticTooltipLabel": {
          whiteSpace: "nowrap",
          fontSize: "0.875rem",
          fontWeight: 600,
          cursor: "pointer",
        },
      }}
    >
      {items.map((item) => {
        const onClick = () => {
          setOpen(false);
          item.onClick();
        };
        return (
          <SpeedDialAction
            key={item.label}
            icon={item.icon}
            onClick={onClick}
            slotProps={{ tooltip: { title: item.label, open: true }, staticTooltipLabel: { onClick } }}
          />
        );
      })}
    </MuiSpeedDial>
  );
}
