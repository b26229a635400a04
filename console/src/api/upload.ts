// Uploads a form with progress and cancellation; uses XMLHttpRequest because fetch reports no upload progress.
import { type AnyEndpoint, type ReplyOf } from "@psp/contract/kit/endpoint.ts";
import { withSessionRetry, createConnectionLostError, toCallError } from "./call.ts";
import { callUrl } from "./server-address.ts";

export type UploadProgress = { sent: number; total: number };

type UploadOptions = { onProgress: (sending: UploadProgress) => void; signal: AbortSignal };

/** Throws CallError, or the signal's reason if aborted. The reported bytes include multipart overhead. */
export function upload<C extends AnyEndpoint>(
  endpoint: C,
  form: FormData,
  options: UploadOptions,
): Promise<ReplyOf<C>> {
  return withSessionRetry(endpoint, true, () => attempt(endpoint, form, options));
}

function attempt<C extends AnyEndpoint>(
  endpoint: C,
  form: FormData,
  { onProgress, signal }: UploadOptions,
): Promise<ReplyOf<C>> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = () => request.abort();
    const end = (settle: () => void) => {
      signal.removeEventListener("abort", stop);
      settle();
    };
    request.open(endpoint.method, callUrl(endpoint));
    request.withCredentials = true;
    request.setRequestHeader("accept", "application/json");
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress({ sent: loaded, total }));
    request.addEventListener("load", () =>
      end(() => {
        const body = parsed(request.responseText);
        if (request.status >= 200 && request.status < 300) resolve(body as ReplyOf<C>);
        else reject(toCallError(request, body));
      }),
    );
    request.addEventListener("error", () => end(() => reject(createConnectionLostError())));
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
