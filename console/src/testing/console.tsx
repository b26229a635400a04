// The whole console in a test: its router at an address, and a server whose answers the test writes down.
import { createMemoryHistory } from "@tanstack/react-router";
import { render } from "vitest-browser-react";
import { queryClient } from "../api/query-client.ts";
import { ConsoleRoot } from "../ConsoleRoot.tsx";
import { createConsoleRouter } from "../routes.tsx";
import { faultOf } from "./contract-check.ts";
import { addFault } from "./faults.ts";
import { onlyChoices, rightsAnswers } from "./rights.ts";
import { restPointer } from "./pointer.ts";

export type Answer = { status: number; body?: unknown; statusText?: string };
/**
 * Answers by "METHOD /path"; a function sees what was sent, JSON as a value and a form as it is, and the query. A call
 * that is missing fails the test, and so does a body that the contract refuses.
 */
export type Answers = Record<string, Answer | ((sent: unknown, query: URLSearchParams) => Answer | Promise<Answer>)>;

export const notFound: Answer = { status: 404, body: { code: 105, error: "Not found." } };
/**
 * What pages ask in passing, answered 404 unless a test lists it: the live ticket, batches under way, names of owners, the set-up
 * card, issues of sensors on the dashboard, and problems with their data.
 */
const inPassing = [
  /^POST \/api\/auth\/ticket$/,
  /^GET \/api\/v2\/sensor\/(batches|stats)$/,
  /^GET \/api\/account\/[^/]+$/,
  /^GET \/api\/v2\/counts\/locations$/,
  /^GET \/api\/auth\/set-up$/,
  /^GET \/api\/v2\/issue\/by-sensor$/,
  /^GET \/api\/v2\/data-problem$/,
];

/** How many there are of something, asked beside what a page is about: nothing but a total is wanted. */
const isCount = (key: string, query: URLSearchParams) =>
  key.startsWith("GET ") && query.get("limit") === "1" && query.get("includeTotals") === "true";

async function answerOf(
  answers: Answers,
  key: string,
  sent: unknown,
  query: URLSearchParams,
): Promise<Answer | undefined> {
  const found = answers[key];
  if (found !== undefined) return typeof found === "function" ? found(sent, query) : found;
  const rights = rightsAnswers[key];
  return rights && { status: 200, body: await rights((path) => bodyOf(answers, path), query) };
}

async function bodyOf(answers: Answers, path: string): Promise<unknown> {
  const answer = await answerOf(answers, `GET ${path}`, undefined, new URLSearchParams());
  return answer?.status === 200 ? answer.body : undefined;
}

const never = new Promise<never>(() => undefined);
let answersNow: Answers | null = null;

/**
 * Replaces the network by `answers`; nothing that was fetched before is known any more, and what is still under way is not
 * answered: it would reach the next test.
 */
export function serve(answers: Answers): void {
  queryClient.clear();
  answersNow = answers;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, "http://console.test");
    const given = init?.body;
    const sent: unknown = typeof given === "string" ? JSON.parse(given) : given instanceof FormData ? given : undefined;
    const method = init?.method ?? "GET";
    const key = `${method} ${url.pathname}`;
    const fault = faultOf(method, url.pathname, sent);
    if (fault !== null) addFault(`${key}: ${fault}`);
    const answer = await answerOf(answers, key, sent, url.searchParams);
    if (answer === undefined && !isCount(key, url.searchParams) && !inPassing.some((form) => form.test(key)))
      addFault(`${key}: not listed`);
    const { status, body, statusText } = answer ?? notFound;
    if (answers !== answersNow) return never;
    if (status === 0) throw new TypeError("Failed to fetch");
    const shown =
      key === "GET /api/account" && status === 200
        ? await onlyChoices(body, url.searchParams, (path) => bodyOf(answers, path))
        : body;
    return new Response(JSON.stringify(shown ?? null), {
      status,
      statusText: statusText ?? "",
      headers: { "content-type": "application/json" },
    });
  };
}

/** Opens the console at `address`. The network is replaced by `answers`, and the live socket never opens. */
export async function openConsole(address: string, answers: Answers) {
  serve(answers);
  await restPointer();
  const router = createConsoleRouter(createMemoryHistory({ initialEntries: [address] }));
  const screen = await render(<ConsoleRoot router={router} />);
  return { screen, address: () => router.state.location.href, back: () => router.history.back() };
}
