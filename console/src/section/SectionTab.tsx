// Tab of a settings section. Loads the current or last known values and shows the form, or the reason why there is none.
import type { Section } from "@psp/contract/section/field.ts";
import { sectionsOf } from "@psp/contract/section/sections.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useEffect, useRef, useState } from "react";
import { useMatchedPath } from "../address/navigation.tsx";
import { NotFoundPage } from "../address/FallbackPages.tsx";
import { useCan, useOwners } from "../api/session/useCan.ts";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { CardSkeleton } from "../ui/feedback/Skeletons.tsx";
import { configurationPageText } from "../remote-access/configuration-page.text.ts";
import { tabFromPath } from "../sensor/page/sensor.tabs.ts";
import { Tab } from "../sensor/page/Tab.tsx";
import { isSensorUnreachable } from "../sensor/sensor.rpc.ts";
import { useSection, requestFailureText } from "./section.queries.ts";
import { sectionText as text } from "./section.text.ts";
import { formatMinute } from "./section.values.ts";
import { SectionForm } from "./SectionForm.tsx";
import { usePendingChange } from "./useApplying.ts";

export function SensorSectionTab() {
  const segment = tabFromPath(useMatchedPath());
  if (!Object.values(sectionsOf).some((sections) => sections.some((one) => one.segment === segment)))
    return <NotFoundPage />;
  return (
    <Tab tab={segment}>
      {(sensor) => {
        const section = sectionsOf[sensor.type].find((one) => one.segment === segment);
        return section === undefined ? null : (
          <OneSection key={`${sensor._id} ${section.key}`} sensor={sensor} section={section} />
        );
      }}
    </Tab>
  );
}

function OneSection({ sensor, section }: { sensor: Sensor; section: Section }) {
  const can = useCan();
  const { ownerOf, ready } = useOwners([sensor.owner._id]);
  const isConnected = sensor.psconnect?.connectionStatus === "connected";
  const [isApplying, setApplying] = useState(false);
  const { data: answer, error, refetch } = useSection(sensor._id, section, { isApplying, isConnected });
  const change = usePendingChange(answer);
  // Keeps the error while retrying, to avoid flicker.
  const [problem, setProblem] = useState<Error | null>(null);
  if (error !== null && error !== problem) setProblem(error);
  const retry = {
    label: text.retry,
    onClick() {
      setProblem(null);
      void refetch();
    },
  };
  if (isApplying !== (change.applying !== null)) setApplying(change.applying !== null);
  useOnConnection(isConnected, () => void refetch());
  if (answer !== undefined)
    return (
      <SectionForm
        sensor={sensor}
        section={section}
        answer={answer}
        ready={ready}
        mayEdit={can.edit("sensor", ownerOf(sensor.owner._id))}
        offline={offlineWords(sensor, answer)}
        change={change}
        reload={refetch}
      />
    );
  if (problem === null) return <CardSkeleton lines={6} />;
  return isSensorUnreachable(problem) ? (
    <EmptyState kind="offline" title={text.noValues} text={isConnected ? undefined : whyAway(sensor)} action={retry} />
  ) : (
    <EmptyState kind="error" title={text.loadFailed} text={requestFailureText(problem)} action={retry} />
  );
}

const whyAway = ({ psconnect }: Sensor) =>
  psconnect === null ? configurationPageText.missing : configurationPageText.disconnected;

function offlineWords(sensor: Sensor, { source, at }: { source: "device" | "stored"; at: string }): string | undefined {
  const { psconnect } = sensor;
  if (psconnect === null) return configurationPageText.missing;
  return psconnect.connectionStatus === "connected" && source === "device" ? undefined : text.offline(formatMinute(at));
}

function useOnConnection(isConnected: boolean, work: () => void) {
  const was = useRef(isConnected);
  const latest = useRef(work);
  useEffect(() => {
    latest.current = work;
  });
  useEffect(() => {
    if (was.current === isConnected) return;
    was.current = isConnected;
    latest.current();
  }, [isConnected]);
}
