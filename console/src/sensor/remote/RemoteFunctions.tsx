// Remote functions: snapshot, upload test, network reset (SE-11).
import {
  networkResetResultSchema,
  type RemoteFunction,
  remoteFunctions,
  type UploadResult,
  uploadResultSchema,
} from "@psp/contract/sensor/sensor.remote.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Alert, Divider } from "@mui/material";
import { useState } from "react";
import type { z } from "zod";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { FactList } from "../../ui/FactList.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { ConfirmDialog } from "../../ui/form/ConfirmDialog.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { remoteText } from "../sensor-page.text.ts";
import { sensorText } from "../sensor.text.ts";
import { useReachability } from "../useReachability.ts";
import { bytesOf, type RemoteClient, RemoteSection, useRemoteClient } from "./RemoteSection.tsx";
import { Snapshot } from "./Snapshot.tsx";

export function RemoteFunctions({ sensor }: { sensor: Sensor }) {
  const can = useCan();
  const { ownerOf } = useOwners([sensor.owner._id]);
  const mayEdit = can.edit("sensor", ownerOf(sensor.owner._id));
  const remote = useRemoteClient(sensor._id);
  const reach = useReachability(sensor.scomState);
  const reasonFor = (func: RemoteFunction): string | undefined => {
    if (remoteFunctions[func].right === "edit" && !mayEdit) return sensorText.noEdit;
    if (reach !== "connected") return remoteText.unreachable[reach];
    return remote.asking !== null && remote.asking !== func ? remoteText.busy : undefined;
  };
  return (
    <SectionCard title={remoteText.title} gap={4}>
      <Snapshot sensor={sensor} remote={remote} reason={reasonFor("getSnapshot")} />
      <Divider />
      <UploadTest remote={remote} reason={reasonFor("generalUploadTest")} />
      <Divider />
      <NetworkReset id={sensor._id} remote={remote} reason={reasonFor("resetNetworkConfig")} />
    </SectionCard>
  );
}

type FunctionProps = { remote: RemoteClient; reason: string | undefined };

const asJson = <S extends z.ZodType>(schema: S) => ({
  failed: remoteText.requestFailed,
  unreadable: remoteText.notAResult,
  read(answer: Parameters<typeof bytesOf>[0]): z.output<S> | null {
    try {
      return schema.parse(JSON.parse(new TextDecoder().decode(bytesOf(answer))));
    } catch {
      return null;
    }
  },
});

function UploadTest({ remote, reason }: FunctionProps) {
  const [result, setResult] = useState<UploadResult | null>(null);
  const start = async () => {
    setResult(null);
    setResult(await remote.request({ func: "generalUploadTest", ...asJson(uploadResultSchema) }));
  };
  return (
    <RemoteSection
      title={remoteText.upload}
      hint={remoteText.uploadHint}
      action={remoteText.startUpload}
      reason={reason}
      asking={remote.asking === "generalUploadTest"}
      onAsk={() => void start()}
    >
      {result === null ? null : <Figures result={result} />}
    </RemoteSection>
  );
}

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

function Figures({ result }: { result: UploadResult }) {
  const arrived = result.http >= 200 && result.http < 300;
  return (
    <>
      <Alert severity={arrived ? "success" : "error"} role="status">
        {arrived ? remoteText.uploadOk : remoteText.uploadRefused}
      </Alert>
      <FactList
        facts={[
          [remoteText.uploadBytes, `${number.format(result.bytes)} bytes`],
          [remoteText.uploadTime, `${number.format(result.ms)} ms`],
          [remoteText.uploadSpeed, `${number.format(result.kbps)} kbit/s`],
          [remoteText.uploadStatus, String(result.http)],
        ]}
      />
    </>
  );
}

/** Requires typing the sensor's id, because the sensor may become unreachable. */
function NetworkReset({ id, remote, reason }: FunctionProps & { id: string }) {
  const toasts = useToasts();
  const [open, setOpen] = useState(false);
  const reset = async () => {
    setOpen(false);
    const request = { func: "resetNetworkConfig", options: { confirm: id } } as const;
    const result = await remote.request({ ...request, ...asJson(networkResetResultSchema) });
    if (result !== null) toasts.success(remoteText.resetDone(id, result.willApplyInS));
  };
  return (
    <>
      <RemoteSection
        title={remoteText.reset}
        hint={remoteText.resetHint}
        action={remoteText.startReset}
        reason={reason}
        asking={remote.asking === "resetNetworkConfig"}
        onAsk={() => setOpen(true)}
        danger
      />
      <ConfirmDialog
        open={open}
        title={remoteText.startReset}
        confirmLabel={remoteText.resetConfirm}
        typeToConfirm={id}
        onConfirm={reset}
        onClose={() => setOpen(false)}
      >
        {remoteText.resetQuestion(id)}
      </ConfirmDialog>
    </>
  );
}
