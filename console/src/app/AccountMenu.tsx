// The menu behind the avatar: who is signed in, their account, how things look, the way out, and the version (SH-06).
import CheckRounded from "@mui/icons-material/CheckRounded";
import PersonRounded from "@mui/icons-material/PersonRounded";
import { Avatar, Box, Divider, IconButton, ListItemIcon, Menu, MenuItem } from "@mui/material";
import { useState } from "react";
import { useGo } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useSession, useUser } from "../session/session.tsx";
import { type ThemeMode, useThemeMode } from "../theme/AppTheme.tsx";
import { type Density, useDensity } from "../theme/density.tsx";
import { Ellipsis } from "../ui/Ellipsis.tsx";
import { appText } from "./app.text.ts";

const modes: readonly ThemeMode[] = ["light", "dark", "system"];
const densities: readonly Density[] = ["comfortable", "compact"];

export function AccountMenu() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const user = useUser();
  const { logout } = useSession();
  const go = useGo();
  const { mode, setMode } = useThemeMode();
  const { density, setDensity } = useDensity();
  const close = () => setAnchor(null);
  const choices = [
    modes.map((one) => ({ label: appText.theme[one], on: mode === one, choose: () => setMode(one) })),
    densities.map((one) => ({ label: appText.density[one], on: density === one, choose: () => setDensity(one) })),
  ];
  return (
    <>
      <IconButton
        aria-label={appText.accountMenu}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
        sx={{ p: 1, borderRadius: 20 }}
      >
        <Avatar aria-hidden sx={{ width: 30, height: 30, bgcolor: "primary.main", color: "primary.contrastText" }}>
          <PersonRounded sx={{ color: "inherit" }} />
        </Avatar>
      </IconButton>
      <Menu
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
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
            close();
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
            close();
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
    </>
  );
}
