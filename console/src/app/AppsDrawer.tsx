// The drawer with the sibling applications, whose addresses come from the configuration (SH-03).
import AppsRounded from "@mui/icons-material/AppsRounded";
import CloseRounded from "@mui/icons-material/CloseRounded";
import OpenInNewRounded from "@mui/icons-material/OpenInNewRounded";
import { Box, ButtonBase, Drawer, IconButton, Typography } from "@mui/material";
import { useState } from "react";
import { config } from "../config.ts";
import { appText } from "./app.text.ts";

const siblings = ["export", "buildings", "designer"] as const;

const paper = {
  role: "dialog",
  "aria-modal": true,
  "aria-label": appText.appsTitle,
  sx: { width: 280, maxWidth: "86vw", borderRight: 1 },
};

export function AppsDrawer() {
  const [open, setOpen] = useState(false);
  const links = siblings.flatMap((name) => {
    const href = config.links[name];
    return href === null ? [] : [{ name, href, label: appText.siblings[name] }];
  });
  return (
    <>
      <IconButton aria-label={appText.apps} aria-expanded={open} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <AppsRounded />
      </IconButton>
      <Drawer open={open} onClose={() => setOpen(false)} slotProps={{ paper }}>
        <Box sx={{ display: "flex", alignItems: "center", p: 3, pl: 4 }}>
          <Typography variant="h2" sx={{ mr: "auto" }}>
            {appText.appsTitle}
          </Typography>
          <IconButton aria-label={appText.closeMenu} onClick={() => setOpen(false)}>
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
    </>
  );
}
