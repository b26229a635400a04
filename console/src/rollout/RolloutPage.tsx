// Page that shows the rollout of a firmware, with its actions and the reasons for failures (FW-03, SE-09).
import { getRollout } from "@psp/contract/firmware/firmware.api.ts";
import type { Rollout } from "@psp/contract/firmware/firmware.ts";
import { rolloutProgress } from "@psp/contract/rollout/rollout-progress.ts";
import { Box, LinearProgress, Table, TableBody, TableCell, TableHead, TableRow, Typography } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { formatSearch } from "../address/address.ts";
import { AppLink, useGo, useParam, useTitle } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { useName } from "../entity/reference/useNames.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { CardSkeleton } from "../ui/feedback/Skeletons.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SectionCard } from "../ui/SectionCard.tsx";
import { EstimatedEnd } from "./EstimatedEnd.tsx";
import { RolloutActions } from "./RolloutActions.tsx";
import { RolloutFigures } from "./RolloutFigures.tsx";
import { rolloutText as text } from "./rollout.text.ts";
import { formatNumber } from "../ui/text/numbers.ts";

/** The key starts with "sensor" and "total", so that changes of sensors refetch the rollout. */
function useRollout(id: string) {
  return useQuery({
    queryKey: ["sensor", "total", "rollout", id],
    queryFn: ({ signal }) => call(getRollout, { params: { id }, signal }),
  });
}

export function RolloutPage() {
  const id = useParam("id");
  const name = useName("artifact", id) ?? "";
  const answer = useRollout(id);
  const { data, error } = answer;
  useTitle(text.title(name));
  return (
    <>
      <AppLink
        to={paths.firmware}
        query="none"
        sx={{ ...standaloneLinkStyles, alignSelf: "flex-start", color: "text.secondary" }}
      >
        {text.list}
      </AppLink>
      <PageHeader title={text.title(name)} />
      {error !== null && data === undefined ? (
        <EmptyState
          kind="error"
          title={text.loadFailed}
          text={failureText(error)}
          action={{ label: text.tryAgain, onClick: () => void answer.refetch() }}
        />
      ) : data === undefined ? (
        <CardSkeleton lines={4} />
      ) : (
        <Shown key={id} id={id} name={name} rollout={data} />
      )}
    </>
  );
}

type ShownProps = { id: string; name: string; rollout: Rollout };

function Shown({ id, name, rollout }: ShownProps) {
  const go = useGo();
  if (rollout.assigned === 0 && rollout.running === 0)
    return (
      <EmptyState
        kind="none"
        title={text.title(name)}
        text={text.nothing}
        action={{ label: text.chooseSensors, onClick: () => go(paths.sensors, { query: "none" }) }}
      />
    );
  return (
    <Box sx={{ display: "flex", flexDirection: "column", gap: 4, maxWidth: 960 }}>
      <SectionCard title={text.progress} gap={4}>
        <Progress rollout={rollout} />
        <EstimatedEnd rollout={rollout} />
        <RolloutFigures id={id} rollout={rollout} />
        {rollout.ranBefore === 0 ? null : (
          <Box sx={{ color: "text.secondary" }}>{text.ranBefore(rollout.ranBefore)}</Box>
        )}
        <RolloutActions id={id} name={name} rollout={rollout} />
      </SectionCard>
      {rollout.failed === 0 ? null : <Failures id={id} rollout={rollout} />}
    </Box>
  );
}

function Progress({ rollout }: { rollout: Rollout }) {
  const { done, all } = rolloutProgress(rollout);
  if (all === 0) return null;
  return (
    <Box>
      <LinearProgress
        variant="determinate"
        aria-label={text.progress}
        aria-valuetext={text.progressOf(done, all)}
        value={Math.floor((done / all) * 100)}
      />
      <Box sx={{ display: "flex", justifyContent: "space-between", mt: 2, color: "text.secondary" }}>
        <span>{text.progressOf(done, all)}</span>
        <span>{`${Math.floor((done / all) * 100)} %`}</span>
      </Box>
    </Box>
  );
}

function Failures({ id, rollout }: Pick<ShownProps, "id" | "rollout">) {
  const rows = [
    ...rollout.reasons.map(({ reason, count }) => [reason ?? text.unknownReason, count] as const),
    ...(rollout.otherReasons === 0 ? [] : [[text.otherReasons, rollout.otherReasons] as const]),
  ];
  return (
    <SectionCard
      title={text.failures}
      head={
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "baseline", columnGap: 4 }}>
          <Typography variant="h2" sx={{ flex: 1 }}>
            {text.failures}
          </Typography>
          <AppLink to={paths.sensors + formatSearch({ artifactID: id, installation: "failed" })} query="none">
            {text.sensors(rollout.failed)}
          </AppLink>
        </Box>
      }
    >
      <Table size="small" aria-label={text.failures} sx={{ "& th, & td": { py: 2 } }}>
        <TableHead>
          <TableRow>
            <TableCell>{text.reason}</TableCell>
            <TableCell align="right">{text.count}</TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map(([reason, count]) => (
            <TableRow key={reason}>
              <TableCell sx={{ overflowWrap: "anywhere" }}>{reason}</TableCell>
              <TableCell align="right" sx={{ fontVariantNumeric: "tabular-nums" }}>
                {formatNumber(count)}
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </SectionCard>
  );
}
