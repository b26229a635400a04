// Says that the live connection is down, for as long as it is and somebody is signed in (SH-02).
import CloudOffRounded from "@mui/icons-material/CloudOffRounded";
import Box from "@mui/material/Box";
import { useSession } from "../session/session.tsx";
import { appText } from "./app.text.ts";
import { bannerHeight } from "./measures.ts";

/** True while the banner is shown. */
export function useConnectionLost(): boolean {
  const { state, live } = useSession();
  return state.status === "signedIn" && live === "down";
}

export function ConnectionBanner() {
  if (!useConnectionLost()) return null;
  return (
    <Box
      role="alert"
      sx={{
        display: "flex",
        alignItems: "center",
        justifyContent: "center",
        columnGap: 2,
        height: bannerHeight,
        px: 4,
        bgcolor: "#b80041",
        color: "#fff",
        textAlign: "center",
      }}
    >
      <CloudOffRounded aria-hidden sx={{ fontSize: 18 }} />
      <Box component="strong" sx={{ fontWeight: 600 }}>
        {appText.connectionLost}
      </Box>
      <Box component="span" sx={{ display: { xs: "none", sm: "inline" } }}>
        {appText.connectionLostMore}
      </Box>
    </Box>
  );
}
