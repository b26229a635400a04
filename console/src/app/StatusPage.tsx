// Service status and version, without login.
import { Box, Button, Link } from "@mui/material";
import { version } from "../../package.json";
import { useHealth } from "../api/health.ts";
import { useLastFailedRequestId } from "../api/last-failure.ts";
import { supportAddress } from "../api/config.ts";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import { FactList } from "../ui/FactList.tsx";
import { Mono } from "../ui/Mono.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { RelativeTime } from "../ui/time/RelativeTime.tsx";
import { SectionCard } from "../ui/SectionCard.tsx";
import { appText } from "./app.text.ts";
import { statusText } from "./status.text.ts";

const text = statusText;
const tones: Record<"works" | "notReady" | "unreachable", StatusTone> = {
  works: "good",
  notReady: "warning",
  unreachable: "bad",
};

export function StatusPage() {
  const { data, isFetching, refetch } = useHealth();
  const support = supportAddress(useLastFailedRequestId());
  const isOther = data !== undefined && data.version !== null && data.version !== version;
  return (
    <>
      <PageHeader title={text.title} />
      <SectionCard
        title={data === undefined ? text.asking : text[data.service]}
        gap={4}
        head={<></>}
        sx={{ maxWidth: 640 }}
      >
        <Box role="status" aria-busy={isFetching}>
          {data === undefined ? (
            text.asking
          ) : (
            <>
              <Box component="h2" sx={{ m: 0, mb: 1, fontSize: "1rem", fontWeight: 600 }}>
                <StatusDot tone={tones[data.service]} label={text[data.service]} />
              </Box>
              {text[`${data.service}Text`]}
              {isOther ? (
                <Box sx={{ mt: 2 }}>
                  {text.older}{" "}
                  <Link component="button" underline="always" onClick={() => window.location.reload()}>
                    {text.reload}
                  </Link>
                </Box>
              ) : null}
            </>
          )}
        </Box>
        <FactList
          facts={[
            [text.service, <Mono key="service">{data?.version ?? text.unknown}</Mono>],
            [text.page, <Mono key="page">{version}</Mono>],
            [text.checked, <RelativeTime key="at" value={data?.at} />],
          ]}
        />
        <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2 }}>
          <Button variant="outlined" color="inherit" disabled={isFetching} onClick={() => void refetch()}>
            {text.again}
          </Button>
          {support === null ? null : (
            <Button color="inherit" href={support} target="_blank" rel="noreferrer">
              {appText.support}
            </Button>
          )}
        </Box>
      </SectionCard>
    </>
  );
}
