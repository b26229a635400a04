// Checks requests against the contract, so that stubs don't accept what the server would reject.
import { calls } from "@psp/contract/api.ts";
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";

const parameter = /\{\w+\}/g;
const paths = calls
  .map((call) => {
    const path = (call.root ?? "/api") + call.path;
    return { call, parameters: path.match(parameter)?.length ?? 0, form: toForm(path) };
  })
  // `/sensor/stats` must match before `/sensor/{id}`.
  .toSorted((a, b) => a.parameters - b.parameters);

function toForm(path: string): RegExp {
  return new RegExp(`^${path.split(parameter).map(RegExp.escape).join("[^/]+")}$`);
}

function callOf(method: string, path: string): AnyEndpoint | undefined {
  return paths.find(({ call, form }) => call.method === method && form.test(path))?.call;
}

/** The violation, or null. Multipart forms are not checked. */
export function findViolation(method: string, path: string, sent: unknown): string | null {
  const call = callOf(method, path);
  if (call === undefined) return "the contract has no such call";
  if (sent instanceof FormData) return call.upload ? null : "a form is sent where the contract has none";
  if (call.body === undefined) return sent === undefined ? null : "a body is sent where the contract has none";
  const { error } = call.body.safeParse(sent);
  return error === undefined ? null : `the body is not as the contract says: ${error.message}`;
}
