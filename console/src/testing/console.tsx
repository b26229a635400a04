// The whole console in a test: its router at an address, and a server whose answers the test writes down.
import { QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, RouterProvider } from "@tanstack/react-router";
import { render } from "vitest-browser-react";
import { queryClient } from "../api/query-client.ts";
import { createConsoleRouter } from "../routes.tsx";
import { SessionProvider } from "../session/session.tsx";
import { AppTheme } from "../theme/AppTheme.tsx";
import { BatchJobsProvider } from "../ui/BatchJobs.tsx";
import { ToastProvider } from "../ui/Toasts.tsx";
import { restPointer } from "./pointer.ts";

export type Answer = { status: number; body?: unknown; statusText?: string };
/**
 * Answers by "METHOD /path"; a function sees what was sent, JSON as a value and a form as it is, and the query. What is
 * missing is answered 404.
 */
export type Answers = Record<string, Answer | ((sent: unknown, query: URLSearchParams) => Answer | Promise<Answer>)>;

/** Replaces the network by `answers`; nothing that was fetched before is known any more. */
export function serve(answers: Answers): void {
  queryClient.clear();
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, "http://console.test");
    const found = answers[`${init?.method ?? "GET"} ${url.pathname}`] ?? {
      status: 404,
      body: { code: 105, error: "Not found." },
    };
    const given = init?.body;
    const sent: unknown = typeof given === "string" ? JSON.parse(given) : given instanceof FormData ? given : undefined;
    const { status, body, statusText } = typeof found === "function" ? await found(sent, url.searchParams) : found;
    if (status === 0) throw new TypeError("Failed to fetch");
    return new Response(JSON.stringify(body ?? null), {
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
  const screen = await render(
    <AppTheme>
      <QueryClientProvider client={queryClient}>
        <ToastProvider>
          <SessionProvider>
            <BatchJobsProvider>
              <RouterProvider router={router} />
            </BatchJobsProvider>
          </SessionProvider>
        </ToastProvider>
      </QueryClientProvider>
    </AppTheme>,
  );
  return { screen, address: () => router.state.location.href, back: () => router.history.back() };
}
