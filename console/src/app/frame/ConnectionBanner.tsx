// Banner that is shown while the live connection is down, with the time of the displayed data (SH-02).
import CloudOffRounded from "~icons/ic/round-cloud-off";
import { Box } from "@mui/material";
import { appText } from "../app.text.ts";
import { bannerHeight } from "../measures.ts";

export function ConnectionBanner({ asOf }: { asOf: string }) {
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
        {appText.connectionLostMore(asOf)}
      </Box>
      <Box component="span" sx={{ display: { sm: "none" } }}>
        {appText.asOf(asOf)}
      </Box>
    </Box>
  );
}
