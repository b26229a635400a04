// Renders the whole console in a test with stubbed server responses.
import { createMemoryHistory } from "@tanstack/react-router";
import { render } from "vitest-browser-react";
import { queryClient } from "../api/query-client.ts";
import { ConsoleRoot } from "../app/ConsoleRoot.tsx";
import { createConsoleRouter } from "../app/routes.tsx";
import { findViolation } from "./contract-check.ts";
import { addViolation } from "./faults.ts";
import { filterByChoice, rightsResponses } from "./rights.ts";
import { resetPointer } from "./pointer.ts";

export type StubbedResponse = { status: number; body?: unknown; statusText?: string };
/**
 * Responses by "METHOD /path". A function gets the body (parsed JSON or form) and the query. The test fails if a request has no
 * stub, or if the contract rejects a body.
 */
export type StubbedResponses = Record<
  string,
  StubbedResponse | ((sent: unknown, query: URLSearchParams) => StubbedResponse | Promise<StubbedResponse>)
>;

export const notFound: StubbedResponse = { status: 404, body: { code: 105, error: "Not found." } };
/** Background requests that get a 404 unless they are stubbed. */
const inPassing = [
  /^POST \/api\/auth\/ticket$/,
  /^GET \/api\/v2\/sensor\/(batches|stats)$/,
  /^GET \/api\/account\/[^/]+$/,
  /^GET \/api\/v2\/counts\/locations$/,
  /^GET \/api\/auth\/set-up$/,
  /^GET \/api\/v2\/issue\/(by-sensor|count)$/,
  /^GET \/api\/v2\/data-problem$/,
  /^GET \/api\/v2\/measurement\/[^/]+\/opening-days$/,
  /^GET \/api\/account\/[^/]+\/opening-hours$/,
  /^GET \/api\/v2\/holidays(\/calendars)?$/,
];

const isCount = (key: string, query: URLSearchParams) =>
  key.startsWith("GET ") && query.get("limit") === "1" && query.get("includeTotals") === "true";

async function answerOf(
  answers: StubbedResponses,
  key: string,
  sent: unknown,
  query: URLSearchParams,
): Promise<StubbedResponse | undefined> {
  const found = answers[key];
  if (found !== undefined) return typeof found === "function" ? found(sent, query) : found;
  const rights = rightsResponses[key];
  return rights && { status: 200, body: await rights((path) => bodyOf(answers, path), query) };
}

async function bodyOf(answers: StubbedResponses, path: string): Promise<unknown> {
  const answer = await answerOf(answers, `GET ${path}`, undefined, new URLSearchParams());
  return answer?.status === 200 ? answer.body : undefined;
}

const never = new Promise<never>(() => undefined);
let answersNow: StubbedResponses | null = null;

/** Replaces the network and clears caches. Pending requests stay unanswered, so that they don't affect the next test. */
export function stubServer(answers: StubbedResponses): void {
  queryClient.clear();
  answersNow = answers;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, "http://console.test");
    const given = init?.body;
    const sent: unknown = typeof given === "string" ? JSON.parse(given) : given instanceof FormData ? given : undefined;
    const method = init?.method ?? "GET";
    const key = `${method} ${url.pathname}`;
    const fault = findViolation(method, url.pathname, sent);
    if (fault !== null) addViolation(`${key}: ${fault}`);
    const answer = await answerOf(answers, key, sent, url.searchParams);
    if (answer === undefined && !isCount(key, url.searchParams) && !inPassing.some((form) => form.test(key)))
      addViolation(`${key}: not listed`);
    const { status, body, statusText } = answer ?? notFound;
    if (answers !== answersNow) return never;
    if (status === 0) throw new TypeError("Failed to fetch");
    const shown =
      key === "GET /api/account" && status === 200
        ? await filterByChoice(body, url.searchParams, (path) => bodyOf(answers, path))
        : body;
    return new Response(JSON.stringify(shown ?? null), {
      status,
      statusText: statusText ?? "",
      headers: { "content-type": "application/json" },
    });
  };
}

/** Opens the console at `address` with a stubbed network. The live socket never opens. */
export async function openConsole(address: string, answers: StubbedResponses) {
  stubServer(answers);
  await resetPointer();
  const router = createConsoleRouter(createMemoryHistory({ initialEntries: [address] }));
  const screen = await render(<ConsoleRoot router={router} />);
  return { screen, address: () => router.state.location.href, back: () => router.history.back() };
}
