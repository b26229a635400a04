// The grouping of the comparison, and its files over all matching locations.
import DownloadRounded from "~icons/ic/round-download";
import ExpandMoreRounded from "~icons/ic/round-expand-more";
import { Box, Button } from "@mui/material";
import { type BucketSize, type Comparison, type CountRange, dayCount } from "@psp/contract/counts/count-range.ts";
import {
  countsFile,
  type FileFormat,
  fileFormats,
  type FileLayout,
  fileLimits,
} from "@psp/contract/counts/counts-file.api.ts";
import type { Grouping } from "@psp/contract/counts/grouping.ts";
import { formatSearch, type SearchParams } from "../../address/address.ts";
import { localCsvStyle } from "../../address/spreadsheet.ts";
import { callUrl } from "../../api/server-address.ts";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { SelectField } from "../../ui/form/SelectField.tsx";
import { MenuButton } from "../../ui/MenuButton.tsx";
import { countsText } from "../../counts/counts.text.ts";
import { formatSum } from "../../counts/format-counts.ts";
import { compareText as text } from "./compare-counts.text.ts";
import { useSetGrouping } from "./grouping.ts";

type Shown = {
  range: CountRange;
  by: BucketSize | undefined;
  compare: Comparison | undefined;
  groupBy: Grouping | undefined;
  filters: SearchParams;
  /** Number of locations or groups; undefined while unknown. */
  total: number | undefined;
  isOpenOnly: boolean;
};

type CompareToolsProps = Shown & {
  /** People outside opening hours; null if no location has any hours. */
  outside: number | null;
  onOpenOnly: (isOpenOnly: boolean) => void;
};

export function CompareTools({ outside, onOpenOnly, ...shown }: CompareToolsProps) {
  return (
    <Box
      data-own-line=""
      sx={{ order: 1, display: "flex", flexWrap: "wrap", gap: 2, alignItems: "flex-end", minWidth: 0 }}
    >
      <GroupSelect groupBy={shown.groupBy} />
      {outside === null ? null : (
        <OpenOnly isOn={shown.isOpenOnly} outside={outside} onToggle={() => onOpenOnly(!shown.isOpenOnly)} />
      )}
      <Files {...shown} />
    </Box>
  );
}

type OpenOnlyProps = { isOn: boolean; outside: number; onToggle: () => void };

const OpenOnly = ({ isOn, outside, onToggle }: OpenOnlyProps) => (
  <>
    <Button color="inherit" aria-pressed={isOn} onClick={onToggle} sx={isOn ? { bgcolor: "action.selected" } : {}}>
      {countsText.openOnly}
    </Button>
    {isOn && outside > 0 ? (
      <Box sx={{ lineHeight: "36px", color: "text.secondary" }}>{countsText.outside(formatSum(outside))}</Box>
    ) : null}
  </>
);

function GroupSelect({ groupBy }: Pick<Shown, "groupBy">) {
  const setGrouping = useSetGrouping();
  return (
    <SelectField<Grouping | "none">
      label={text.groupBy}
      value={groupBy ?? "none"}
      onChange={(chosen) => setGrouping(chosen === "none" ? undefined : chosen)}
      choices={(["none", "tag", "owner", "country"] as const).map((one) => [one, text.groupings[one]] as const)}
      sx={{ width: 116 }}
    />
  );
}

const names: Record<FileFormat, string> = { xlsx: "XLSX", csv: "CSV" };
const labels: Record<FileFormat, string> = { xlsx: countsText.xlsx, csv: countsText.csv };
const formats = [...fileFormats].toReversed();

function Files(shown: Shown) {
  return (
    <>
      {formats.map((format) => (
        <Disabled key={format} reason={refusal(shown, format, "long")}>
          <Button
            component="a"
            color="inherit"
            startIcon={<DownloadRounded />}
            href={fileUrl(shown, format, "long")}
            download
          >
            {labels[format]}
          </Button>
        </Disabled>
      ))}
      <MenuButton
        color="inherit"
        endIcon={<ExpandMoreRounded />}
        entries={formats.map((format) => ({
          label: text.wide(names[format], shown.by ?? "day"),
          disabledReason: refusal(shown, format, "wide"),
          // The response is an attachment, so the page stays.
          onClick: () => location.assign(fileUrl(shown, format, "wide")),
        }))}
      >
        {text.moreFiles}
      </MenuButton>
    </>
  );
}

function fileUrl(
  { range, by, compare, groupBy, filters, isOpenOnly }: Shown,
  format: FileFormat,
  layout: FileLayout,
): string {
  const style = format === "csv" ? localCsvStyle() : {};
  const open = isOpenOnly ? true : undefined;
  const asked = {
    ...filters,
    range: range.text,
    by,
    compare,
    groupBy,
    open,
    format,
    ...(layout === "wide" && { layout }),
  };
  return callUrl(countsFile) + formatSearch({ ...asked, ...style });
}

/** Buckets per day, rounded down: only the server counts them exactly. */
const perDay: Record<BucketSize, number> = { hour: 24, day: 1, week: 1 / 7, month: 1 / 31 };

/** Why a file can't be downloaded, as far as the page knows. */
function refusal({ range, by, total }: Shown, format: FileFormat, layout: FileLayout): string | undefined {
  if (by === undefined || total === undefined) return text.waiting;
  const buckets = Math.floor(dayCount(range) * perDay[by]);
  if (layout === "wide") return buckets > fileLimits.columns ? text.tooManyColumns(fileLimits.columns) : undefined;
  const most = format === "xlsx" ? fileLimits.xlsxRows : fileLimits.csvRows;
  return total * buckets > most ? text.tooManyRows(names[format], most) : undefined;
}
