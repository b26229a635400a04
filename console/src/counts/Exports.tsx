// Buttons that download the counts of a page, and that copy its URL.
import CheckRounded from "~icons/ic/round-check";
import DownloadRounded from "~icons/ic/round-download";
import LinkRounded from "~icons/ic/round-link";
import { Box, Button } from "@mui/material";
import type { Counts } from "@psp/contract/counts/counts.api.ts";
import { aggregateCsv, aggregateXlsx } from "@psp/contract/datapoint/datapoint.api.ts";
import { callUrl } from "../api/server-address.ts";
import { useState } from "react";
import { formatSearch } from "../address/address.ts";
import { localCsvStyle } from "../address/spreadsheet.ts";
import { copyText } from "../ui/CopyButton.tsx";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { useTimer } from "../ui/form/useDebounced.ts";
import { countsText as text } from "./counts.text.ts";
import type { SingleCountsSubject } from "./counts.queries.ts";

const kinds = [
  { label: text.csv, call: aggregateCsv, style: localCsvStyle() },
  { label: text.xlsx, call: aggregateXlsx, style: {} },
];

type DownloadsProps = {
  subject: SingleCountsSubject;
  name: string;
  range: string;
  isOpenOnly: boolean;
  shown: Counts | undefined;
};

export function CountsDownloads({ subject, name, range, isOpenOnly, shown }: DownloadsProps) {
  const rows = shown?.rows ?? [];
  const query =
    shown === undefined
      ? null
      : {
          filter: `${subject}:counting`,
          acc: shown.by,
          open: isOpenOnly && shown.hasOpeningHours ? true : undefined,
          from: rows[0]?.startUTC,
          to: rows.at(-1)?.endUTC,
          fileName: `${name}_${range}_${shown.by}`,
        };
  return kinds.map(({ label, call, style }) => (
    <Disabled key={label} reason={query === null ? text.waiting : undefined}>
      <Button
        component="a"
        size="small"
        color="inherit"
        startIcon={<DownloadRounded />}
        href={callUrl(call) + formatSearch({ ...query, ...style })}
        download
      >
        {label}
      </Button>
    </Disabled>
  ));
}

const confirmedMs = 2500;
const words = { ready: "", copied: text.copied, failed: text.copyFailed };

export function CopyLink() {
  const [result, setResult] = useState<keyof typeof words>("ready");
  const { start } = useTimer();
  const copy = async () => {
    setResult((await copyText(location.href)) ? "copied" : "failed");
    start(() => setResult("ready"), confirmedMs);
  };
  return (
    <>
      <Box role="status" sx={{ alignSelf: "center", color: result === "failed" ? "error.main" : "text.secondary" }}>
        {words[result]}
      </Box>
      <Button
        size="small"
        color="inherit"
        startIcon={result === "copied" ? <CheckRounded color="success" /> : <LinkRounded />}
        onClick={() => void copy()}
      >
        {text.copyLink}
      </Button>
    </>
  );
}
