// What an import came to: the four counts, the log line by line, and the log as a file (spec 1 §2).
import type { ImportResult as Result } from "@psp/contract/account/account.import.ts";
import DownloadOutlined from "@mui/icons-material/DownloadOutlined";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Typography from "@mui/material/Typography";
import { type Ref, useId, useState } from "react";
import { accountText } from "../account.text.ts";

const stepSize = 200;

type ImportResultProps = { ref?: Ref<HTMLDivElement>; fileName: string; result: Result };

export function ImportResult({ ref, fileName, result }: ImportResultProps) {
  return (
    <Box {...(ref === undefined ? {} : { ref })} tabIndex={-1} sx={{ outline: "none" }}>
      <Alert severity={result.error > 0 ? "warning" : "success"} role="status">
        {accountText.importDone(result.success)}
      </Alert>
      <Box component="dl" sx={{ display: "grid", gridTemplateColumns: "repeat(4, 1fr)", gap: 2, mt: 4, mb: 0 }}>
        {accountText.importCounts.map(([count, label]) => (
          <Box key={count} sx={{ minWidth: 0 }}>
            <Box component="dt" sx={{ color: "text.secondary", fontSize: "0.8125rem" }}>
              {label}
            </Box>
            <Box component="dd" sx={{ m: 0, fontSize: "1.25rem", fontVariantNumeric: "tabular-nums" }}>
              {result[count].toLocaleString("en")}
            </Box>
          </Box>
        ))}
      </Box>
      <Logs fileName={fileName} logs={result.logs} />
    </Box>
  );
}

function Logs({ fileName, logs }: { fileName: string; logs: readonly string[] }) {
  const titleId = useId();
  const [shown, setShown] = useState(stepSize);
  const left = logs.length - shown;
  return (
    <Box sx={{ mt: 4 }}>
      <Box sx={{ display: "flex", alignItems: "center", justifyContent: "space-between", minHeight: 36 }}>
        <Typography id={titleId} variant="h3" component="h3">
          {accountText.logs}
        </Typography>
        {logs.length === 0 ? null : (
          <Button size="small" startIcon={<DownloadOutlined />} onClick={() => saveText(logNameOf(fileName), logs)}>
            {accountText.downloadLog}
          </Button>
        )}
      </Box>
      {logs.length === 0 ? (
        <Box sx={{ color: "text.secondary" }}>{accountText.noLogs}</Box>
      ) : (
        <Box
          component="ul"
          aria-labelledby={titleId}
          tabIndex={0}
          sx={{
            listStyle: "none",
            m: 0,
            px: 3,
            py: 2,
            border: 1,
            borderColor: "divider",
            borderRadius: 1,
            maxHeight: 260,
            overflowY: "auto",
            fontSize: "0.8125rem",
            overflowWrap: "anywhere",
          }}
        >
          {logs.slice(0, shown).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </Box>
      )}
      {left <= 0 ? null : (
        <Button size="small" color="inherit" onClick={() => setShown(shown + stepSize)} sx={{ mt: 1 }}>
          {accountText.showMore(left)}
        </Button>
      )}
    </Box>
  );
}

const logNameOf = (fileName: string) => `${fileName.replace(/\.csv$/i, "")}-log.txt`;

/** Hands a text file to the browser's downloads. */
function saveText(name: string, lines: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/plain;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
