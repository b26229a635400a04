// How fast, and whether, the sensor can send to this platform (SE-11).
import { type UploadResult, uploadResultSchema } from "@psp/contract/sensor/sensor.remote.api.ts";
import Alert from "@mui/material/Alert";
import { useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { FactList } from "../../ui/FactList.tsx";
import { resultOf } from "./remote.facts.ts";
import { RemoteSection } from "./RemoteSection.tsx";
import { remoteText } from "../sensor-page.text.ts";
import type { Ask } from "./useAsk.ts";

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** Props: `line` to the sensor, `reason` why it can't be asked. */
export function UploadTest({ line, reason }: { line: Ask; reason: string | undefined }) {
  const fail = useFailure();
  const [result, setResult] = useState<UploadResult | null>(null);
  const failed = fail(remoteText.requestFailed);
  const start = async () => {
    setResult(null);
    try {
      const answer = await line.ask("generalUploadTest");
      if (answer === null) return;
      const figures = resultOf(uploadResultSchema, answer);
      if (figures === null) failed(new Error(remoteText.notAResult));
      else setResult(figures);
    } catch (error) {
      failed(error);
    }
  };
  return (
    <RemoteSection
      title={remoteText.upload}
      hint={remoteText.uploadHint}
      action={remoteText.startUpload}
      reason={reason}
      asking={line.asking === "generalUploadTest"}
      onAsk={() => void start()}
    >
      {result === null ? null : <Figures result={result} />}
    </RemoteSection>
  );
}

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
