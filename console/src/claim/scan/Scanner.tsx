// Camera picture with the last scan result (CL-01), or the reason why there is no camera (docs/rules/claiming.md#scanning).
import CheckCircleRounded from "~icons/ic/round-check-circle";
import ErrorRounded from "~icons/ic/round-error";
import VideocamOffOutlined from "~icons/ic/outline-videocam-off";
import { Box, Button, CircularProgress, Typography } from "@mui/material";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { claimText } from "../claim.text.ts";
import { createQrReader } from "./qr-reader.ts";

export type ScanResult = { good: boolean; text: string };

/** How long a result is shown. */
const verdictMs = 2000;
const betweenFramesMs = 100;
/** A code that was out of view for this long is scanned again. */
const forgottenMs = 1500;

type ScannerProps = {
  /** Checks a decoded text; scanning pauses meanwhile. */
  judge: (text: string) => Promise<ScanResult>;
  onTypeInstead: () => void;
  onNoCamera: (text: string) => void;
};

export function Scanner({ judge, onTypeInstead, onNoCamera }: ScannerProps) {
  const video = useRef<HTMLVideoElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<"starting" | "running" | { failed: string }>("starting");
  const [verdict, setVerdict] = useState<ScanResult | "pending" | null>(null);

  const onText = useEffectEvent(async (text: string) => {
    setVerdict("pending");
    setVerdict(await judge(text));
    await pause(verdictMs);
    setVerdict(null);
  });
  const onStart = useEffectEvent(() => setState("running"));
  const onFailure = useEffectEvent((error: unknown) => {
    const text = error instanceof CameraError ? error.message : claimText.cameraBusy;
    // A busy camera may become available; without any camera there is nothing to show.
    if (text !== claimText.cameraBusy) return onNoCamera(text);
    setState({ failed: text });
  });

  useEffect(() => {
    const end = new AbortController();
    const element = video.current;
    if (element === null) return;
    scan(element, end.signal, onStart, onText).catch((error: unknown) => {
      if (!end.signal.aborted) onFailure(error);
    });
    return () => end.abort();
  }, [attempt]);

  if (typeof state === "object") {
    return (
      <Frame key="failure" bright>
        <Failure
          text={state.failed}
          onRetry={() => {
            setState("starting");
            setAttempt(attempt + 1);
          }}
          onTypeInstead={onTypeInstead}
        />
      </Frame>
    );
  }
  return (
    <Frame busy={state === "starting"}>
      <Box
        component="video"
        ref={video}
        muted
        playsInline
        aria-label={claimText.preview}
        sx={{ position: "absolute", inset: 0, width: 1, height: 1, objectFit: "cover" }}
      />
      {state === "starting" ? <Hint>{claimText.starting}</Hint> : null}
      {state === "running" && verdict === null ? <Finder /> : null}
      <Box role="status" sx={{ position: "absolute", inset: 0, pointerEvents: "none" }}>
        {verdict === null ? null : <Overlay verdict={verdict} />}
      </Box>
    </Frame>
  );
}

/** The message is shown to the user. */
class CameraError extends Error {}

const sentences: Record<string, string> = {
  NotAllowedError: claimText.cameraDenied,
  SecurityError: claimText.cameraDenied,
  NotFoundError: claimText.cameraMissing,
  NotSupportedError: claimText.cameraInsecure,
  InsecureContextError: claimText.cameraInsecure,
  NotReadableError: claimText.cameraBusy,
  AbortError: claimText.cameraBusy,
  OverconstrainedError: claimText.cameraUnfit,
  StreamApiNotSupportedError: claimText.cameraUnsupported,
};

/** Throws CameraError. The caller stops the stream's tracks. */
async function openCamera(): Promise<MediaStream> {
  if (!window.isSecureContext) throw new CameraError(claimText.cameraInsecure);
  // Missing in old browsers, despite the types.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (typeof devices?.getUserMedia !== "function") throw new CameraError(claimText.cameraUnsupported);
  try {
    return await devices.getUserMedia({
      audio: false,
      video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 } },
    });
  } catch (error) {
    // Old browsers throw other error classes with the same names.
    const name = error instanceof Error || error instanceof DOMException ? error.name : "";
    throw new CameraError(sentences[name] ?? claimText.cameraBusy, { cause: error });
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Scans until aborted; each text is handled once while it stays in view. */
async function scan(
  video: HTMLVideoElement,
  end: AbortSignal,
  onStart: () => void,
  onText: (text: string) => Promise<void>,
): Promise<void> {
  const stream = await openCamera();
  const reader = await createQrReader();
  const stop = () => {
    reader.stop();
    for (const track of stream.getTracks()) track.stop();
  };
  if (end.aborted) return stop();
  end.addEventListener("abort", stop);
  video.srcObject = stream;
  // Rejects if the user leaves the page meanwhile.
  await video.play().catch(() => undefined);
  onStart();
  let last = { text: "", at: 0 };
  while (!end.aborted) {
    await pause(betweenFramesMs);
    const text = await reader.read(video);
    if (end.aborted) return;
    if (text === null) {
      if (performance.now() - last.at > forgottenMs) last = { text: "", at: 0 };
      continue;
    }
    if (text !== last.text) await onText(text);
    last = { text, at: performance.now() };
  }
}

/** Frame that is dark around the picture, or bright around text. */
function Frame({ bright = false, busy = false, children }: { bright?: boolean; busy?: boolean; children: ReactNode }) {
  return (
    <Box
      aria-busy={busy}
      sx={{
        position: "relative",
        overflow: "hidden",
        width: 1,
        aspectRatio: { xs: "3 / 4", sm: "4 / 3" },
        maxHeight: { xs: "60vh", sm: 480 },
        borderRadius: "10px",
        border: 1,
        borderColor: "divider",
        ...(bright ? { bgcolor: "background.paper", color: "text.primary" } : { bgcolor: "#101716", color: "#f3f7f6" }),
        display: "grid",
        placeItems: "center",
      }}
    >
      {children}
    </Box>
  );
}

function Hint({ children }: { children: string }) {
  return (
    <Box sx={{ position: "relative", display: "flex", alignItems: "center", gap: 3 }}>
      <CircularProgress size={20} color="inherit" aria-hidden />
      {children}
    </Box>
  );
}

function Finder() {
  return (
    <>
      <Box
        aria-hidden
        sx={{
          position: "absolute",
          width: "min(60%, 260px)",
          aspectRatio: "1",
          borderRadius: "16px",
          boxShadow: "0 0 0 2px #ffffffe6, 0 0 0 100vmax #00000066",
        }}
      />
      <Box sx={{ position: "absolute", bottom: 12, px: 3, py: 1, borderRadius: 1, bgcolor: "#000000b3" }}>
        {claimText.aim}
      </Box>
    </>
  );
}

function Overlay({ verdict }: { verdict: ScanResult | "pending" }) {
  const pending = verdict === "pending";
  const background = pending ? "#101716cc" : verdict.good ? "#0b5f5af2" : "#8f0034f2";
  const Icon = pending || !verdict.good ? ErrorRounded : CheckCircleRounded;
  return (
    <Box
      sx={{
        height: 1,
        display: "flex",
        flexDirection: "column",
        alignItems: "center",
        justifyContent: "center",
        gap: 3,
        p: 6,
        textAlign: "center",
        bgcolor: background,
        color: "#ffffff",
      }}
    >
      {pending ? <CircularProgress size={40} color="inherit" aria-hidden /> : <Icon sx={{ fontSize: 48 }} />}
      <Typography variant="h2" component="p">
        {pending ? claimText.looking : verdict.text}
      </Typography>
    </Box>
  );
}

type FailureProps = { text: string; onRetry: () => void; onTypeInstead: () => void };

function Failure({ text, onRetry, onTypeInstead }: FailureProps) {
  return (
    <Box
      role="alert"
      sx={{ display: "flex", flexDirection: "column", alignItems: "center", gap: 4, p: 6, textAlign: "center" }}
    >
      <VideocamOffOutlined sx={{ fontSize: 40, color: "text.secondary" }} />
      <Typography variant="h2" component="p">
        {text}
      </Typography>
      <Box sx={{ display: "flex", flexWrap: "wrap", justifyContent: "center", gap: 2 }}>
        <Button variant="outlined" color="inherit" onClick={onRetry}>
          {claimText.tryAgain}
        </Button>
        <Button variant="contained" onClick={onTypeInstead}>
          {claimText.typeInstead}
        </Button>
      </Box>
    </Box>
  );
}
