// Lazily loaded panel of the account menu.
import CheckRounded from "~icons/ic/round-check";
import { Box, Divider, ListItemIcon, Menu, MenuItem } from "@mui/material";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useSession, useUser } from "../../api/session/session.tsx";
import { type ThemeMode, useThemeMode } from "../../ui/theme/AppTheme.tsx";
import { type Density, useDensity } from "../../ui/theme/density.tsx";
import { Ellipsis } from "../../ui/Ellipsis.tsx";
import { appText } from "../app.text.ts";

const modes: readonly ThemeMode[] = ["light", "dark", "system"];
const densities: readonly Density[] = ["comfortable", "compact"];

type AccountMenuPanelProps = { anchor: HTMLElement | null; open: boolean; onClose: () => void };

export function AccountMenuPanel({ anchor, open, onClose }: AccountMenuPanelProps) {
  const user = useUser();
  const { logout } = useSession();
  const go = useGo();
  const { mode, setMode } = useThemeMode();
  const { density, setDensity } = useDensity();
  const choices = [
    modes.map((one) => ({ label: appText.theme[one], on: mode === one, choose: () => setMode(one) })),
    densities.map((one) => ({ label: appText.density[one], on: density === one, choose: () => setDensity(one) })),
  ];
  return (
    <Menu
      anchorEl={anchor}
      open={open}
      onClose={onClose}
      anchorOrigin={{ vertical: "bottom", horizontal: "right" }}
      transformOrigin={{ vertical: "top", horizontal: "right" }}
      slotProps={{ list: { "aria-label": appText.accountMenu }, paper: { sx: { width: 248 } } }}
    >
      <Box component="li" role="presentation" sx={{ px: 2, pt: 1, pb: 2 }}>
        <Box sx={{ fontWeight: 600, overflowWrap: "anywhere" }}>{user.name}</Box>
        <Box sx={{ color: "text.secondary" }}>{user.role?.name ?? appText.noRole}</Box>
        <Box sx={{ color: "text.secondary", fontSize: "0.75rem" }}>
          <Ellipsis>{user.email}</Ellipsis>
        </Box>
      </Box>
      <MenuItem
        onClick={() => {
          onClose();
          go(paths.myAccount, { query: "dropList" });
        }}
      >
        {appText.accountInfo}
      </MenuItem>
      <Divider role="separator" sx={{ my: "4px !important" }} />
      {choices.flatMap((group, index) => [
        ...group.map(({ label, on, choose }) => (
          <MenuItem key={label} role="menuitemradio" aria-checked={on} onClick={choose}>
            <ListItemIcon sx={{ "& .MuiSvgIcon-root": { fontSize: 16 } }}>
              {on ? <CheckRounded aria-hidden /> : null}
            </ListItemIcon>
            {label}
          </MenuItem>
        )),
        <Divider key={index} role="separator" sx={{ my: "4px !important" }} />,
      ])}
      <MenuItem
        onClick={() => {
          onClose();
          logout();
        }}
      >
        {appText.logout}
      </MenuItem>
      <Box
        component="li"
        role="presentation"
        sx={{ px: 2, pt: 2, pb: 1, color: "text.secondary", fontSize: "0.75rem" }}
      >
        {appText.version}
      </Box>
    </Menu>
  );
}
