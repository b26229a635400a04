// The camera: opened facing away from the person, and in words why it could not be (spec 2 §8, decisions 14).
import { claimText } from "./claim.text.ts";

/** Why the camera does not work; the message is the sentence to show. */
export class CameraError extends Error {}

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

/** Opens the camera; throws CameraError. Whoever gets the stream stops its tracks. */
export async function openCamera(): Promise<MediaStream> {
  if (!window.isSecureContext) throw new CameraError(claimText.cameraInsecure);
  // Not there in old browsers, whatever the types say.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (typeof devices?.getUserMedia !== "function") throw new CameraError(claimText.cameraUnsupported);
  try {
    return await devices.getUserMedia({
      audio: false,
      video: { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 } },
    });
  } catch (error) {
    // Older browsers throw errors that are no DOMExceptions; the name is what counts.
    const name = error instanceof Error || error instanceof DOMException ? error.name : "";
    throw new CameraError(sentences[name] ?? claimText.cameraBusy, { cause: error });
  }
}
