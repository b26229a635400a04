// How far an upload got: bar, percent and bytes; announced in tens of percent only.
import Box from "@mui/material/Box";
import LinearProgress from "@mui/material/LinearProgress";
import type { Sending } from "../api/upload.ts";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { firmwareText, sizeText } from "./firmware.text.ts";

/** Props: `sent` and `total` in bytes. */
export function UploadProgress({ sent, total }: Sending) {
  const percent = total === 0 ? 0 : Math.floor((sent / total) * 100);
  const isSent = total > 0 && sent >= total;
  return (
    <Box>
      <LinearProgress
        aria-label={firmwareText.uploading}
        variant={isSent ? "indeterminate" : "determinate"}
        {...(isSent ? {} : { value: percent })}
      />
      <Box sx={{ mt: 2, color: "text.secondary", fontVariantNumeric: "tabular-nums" }}>
        {isSent ? firmwareText.storing : firmwareText.uploaded(percent, sizeText(sent), sizeText(total))}
      </Box>
      <span role="status" style={visuallyHidden}>{`${Math.floor(percent / 10) * 10} percent sent`}</span>
    </Box>
  );
}
