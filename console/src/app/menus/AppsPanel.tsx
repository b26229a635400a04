// Lazily loaded panel with sibling applications.
import CloseRounded from "~icons/ic/round-close";
import OpenInNewRounded from "~icons/ic/round-open-in-new";
import { Box, ButtonBase, Drawer, IconButton, Typography } from "@mui/material";
import { config } from "../../api/config.ts";
import { appText } from "../app.text.ts";

const siblings = ["export", "buildings", "designer"] as const;

const paper = {
  role: "dialog",
  "aria-modal": true,
  "aria-label": appText.appsTitle,
  sx: { width: 280, maxWidth: "86vw", borderRight: 1 },
};

export function AppsPanel({ open, onClose }: { open: boolean; onClose: () => void }) {
  const links = siblings.flatMap((name) => {
    const href = config.links[name];
    return href === null ? [] : [{ name, href, label: appText.siblings[name] }];
  });
  return (
    <Drawer open={open} onClose={onClose} slotProps={{ paper }}>
      <Box sx={{ display: "flex", alignItems: "center", p: 3, pl: 4 }}>
        <Typography variant="h2" sx={{ mr: "auto" }}>
          {appText.appsTitle}
        </Typography>
        <IconButton aria-label={appText.closeMenu} onClick={onClose}>
          <CloseRounded />
        </IconButton>
      </Box>
      {links.length === 0 ? (
        <Typography sx={{ px: 4, color: "text.secondary" }}>{appText.noApps}</Typography>
      ) : (
        <Box component="ul" sx={{ listStyle: "none", m: 0, p: 2, pt: 0 }}>
          {links.map((link) => (
            <li key={link.name}>
              <ButtonBase
                component="a"
                href={link.href}
                sx={{
                  width: 1,
                  minHeight: 44,
                  px: 2,
                  borderRadius: "6px",
                  justifyContent: "space-between",
                  font: "inherit",
                  fontWeight: 600,
                  "&:hover": { bgcolor: "action.hover" },
                  "& .MuiSvgIcon-root": { fontSize: 16, color: "text.secondary" },
                }}
              >
                {link.label}
                <OpenInNewRounded aria-hidden />
              </ButtonBase>
            </li>
          ))}
        </Box>
      )}
    </Drawer>
  );
}
