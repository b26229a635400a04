// Dialog with the registration link of a sensor as a printable QR code.
import { Box, Button, Dialog, DialogActions, DialogContent, DialogTitle, GlobalStyles } from "@mui/material";
import { useId, useMemo } from "react";
import { encodeQR } from "qr";
import { paths } from "../../address/paths.ts";
import { CopyButton } from "../../ui/CopyButton.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { sensorPageText } from "../sensor-page.text.ts";

/** Width of the margin, in modules (ISO 18004). */
const quietZone = 4;

export function registrationLink(code: string): string {
  return `${location.origin}${paths.registerSensors}?code=${encodeURIComponent(code)}`;
}

export function RegistrationQr({ id, code, onClose }: { id: string; code: string; onClose: () => void }) {
  const titleId = useId();
  const link = registrationLink(code);
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} slotProps={{ paper: { sx: { maxWidth: 400, m: 4 } } }}>
      <GlobalStyles styles={{ "@media print": { "#root": { display: "none" } } }} />
      <DialogTitle id={titleId}>{sensorPageText.qrTitle}</DialogTitle>
      <DialogContent
        sx={{ display: "flex", flexDirection: "column", alignItems: "center", gap: 3, textAlign: "center" }}
      >
        <QrImage text={link} label={sensorPageText.qrLabel(id)} />
        <Mono style={{ fontSize: "1.25rem", letterSpacing: "0.08em" }}>{code}</Mono>
        <Box>
          <Mono>{id}</Mono>
          <Box
            sx={{ display: "flex", alignItems: "center", justifyContent: "center", gap: 1, color: "text.secondary" }}
          >
            <Box component="span" sx={{ overflowWrap: "anywhere" }}>
              {link}
            </Box>
            <Box sx={{ displayPrint: "none" }}>
              <CopyButton value={link} label={sensorPageText.copyLink} />
            </Box>
          </Box>
        </Box>
        <Box sx={{ color: "text.secondary", displayPrint: "none" }}>{sensorPageText.qrHint}</Box>
      </DialogContent>
      <DialogActions sx={{ displayPrint: "none" }}>
        <Button color="inherit" variant="outlined" onClick={() => print()}>
          {sensorPageText.print}
        </Button>
        <Button variant="contained" onClick={onClose} autoFocus>
          {sensorPageText.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Black on white in both themes, as scanners expect. */
function QrImage({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const rows = encodeQR(text, "raw", { ecc: "medium", border: quietZone });
    const squares = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size: rows.length, path: squares.join("") };
  }, [text]);
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      sx={{ width: 240, maxWidth: 1, height: "auto", borderRadius: "6px" }}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </Box>
  );
}
