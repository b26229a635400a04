// Sends a form with a file, reports how far it got, and can be stopped; fetch still says nothing about what it has sent.
import { type AnyEndpoint, type Replied } from "@psp/contract/kit/endpoint.ts";
import { insideSession, lostCall, toCallError } from "./call.ts";
import { callAddress } from "./server-address.ts";

export type Sending = { sent: number; total: number };

type UploadOptions = { onProgress: (sending: Sending) => void; signal: AbortSignal };

/** Makes the call; throws CallError, or the signal's reason when it was stopped. Bytes include the form's own. */
export function upload<C extends AnyEndpoint>(
  endpoint: C,
  form: FormData,
  options: UploadOptions,
): Promise<Replied<C>> {
  return insideSession(endpoint, true, () => attempt(endpoint, form, options));
}

function attempt<C extends AnyEndpoint>(
  endpoint: C,
  form: FormData,
  { onProgress, signal }: UploadOptions,
): Promise<Replied<C>> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    const end = (settle: () => void) => {
      signal.removeEventListener("abort", stop);
      settle();
    };
    request.open(endpoint.method, callAddress(endpoint));
    request.withCredentials = true;
    request.setRequestHeader("accept", "application/json");
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress({ sent: loaded, total }));
    request.addEventListener("load", () =>
      end(() => {
        const body = parsed(request.responseText);
        if (request.status >= 200 && request.status < 300) resolve(body as Replied<C>);
        else reject(toCallError(request, body));
      }),
    );
    request.addEventListener("error", () => end(() => reject(lostCall())));
    request.addEventListener("abort", () => end(() => reject(signal.reason)));
    signal.addEventListener("abort", stop);
    request.send(form);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
