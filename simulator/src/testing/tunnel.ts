// Cloud side of a tunnel for tests: sends HTTP and JSON-RPC requests to the sensor.
import type { Cloud } from "./cloud.ts";
import { openTestSensor, type TestSensor, type TestSensorSetup } from "./test-sensor.ts";
import { waitUntil } from "./virtual-clock.ts";

type Reply = { status: number; text: string; json: unknown };
type Question = { body?: unknown; token?: string; headers?: Record<string, string> };

export const hasTunnel = (cloud: Cloud): boolean => cloud.tunnels.size > 0;

export async function openReachableSensor(setup: TestSensorSetup): Promise<TestSensor> {
  const made = await openTestSensor(setup);
  await made.online();
  await waitUntil("the tunnel", () => hasTunnel(made.cloud));
  return made;
}

export function requestThrough(cloud: Cloud, method: string, path: string, question: Question = {}): Promise<Reply> {
  const { body, token, headers = {} } = question;
  return new Promise((resolve, reject) => {
    const [session] = cloud.tunnels.values();
    if (!session) return reject(new Error("no tunnel"));
    const stream = session.request({
      ":method": method,
      ":path": path,
      ...headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    });
    let text = "";
    let status = 0;
    stream.on("response", (head) => void (status = Number(head[":status"])));
    stream.on("data", (chunk: Buffer) => void (text += chunk.toString()));
    stream.on("error", reject);
    stream.on("close", () => resolve({ status, text, json: text === "" ? null : JSON.parse(text) }));
    stream.end(typeof body === "string" ? body : JSON.stringify(body));
  });
}

export type SectionResult = {
  rev: number;
  values: Record<string, unknown>;
  info?: Record<string, unknown>;
  restartNeeded?: boolean;
  pending?: { rev: number; until: number };
  lastChange?: { rev: number; outcome: string; at: number };
};
type Failure = { code: number; message: string; data?: { fields: { path: string; message: string }[] } };
type Answer = { result?: unknown; error?: Failure };

/** RPC methods of a sensor. `ask` returns a result or an error; all other methods throw errors. */
export function methodsOf({ cloud }: Pick<TestSensor, "cloud">) {
  async function ask(method: string, params: object = {}): Promise<Answer> {
    const { status, json } = await requestThrough(cloud, "POST", "/rpc", {
      body: { jsonrpc: "2.0", id: 1, method, params },
    });
    if (status !== 200) throw new Error(`${method} is answered with ${status}`);
    return json as Answer;
  }
  async function result<T>(method: string, params: object): Promise<T> {
    const answer = await ask(method, params);
    if (answer.error) throw new Error(`${method}: ${JSON.stringify(answer.error)}`);
    return answer.result as T;
  }
  const get = (section: string) => result<SectionResult>("config.get", { section });
  return {
    ask,
    get,
    preview: <T>(kind: string, camera?: string) => result<T>("preview.get", camera ? { kind, camera } : { kind }),
    /** Sets a section to its current values with some changes. */
    async change(section: string, some: object) {
      const { rev, values } = await get(section);
      return result<{ rev: number; applied: string; confirmWithinS?: number }>("config.set", {
        section,
        values: { ...sendable(values), ...some },
        rev,
      });
    },
    /** Like `change`, for values that the sensor refuses. */
    async refusal(section: string, some: object): Promise<Failure> {
      const { rev, values } = await get(section);
      const { error } = await ask("config.set", { section, values: { ...sendable(values), ...some }, rev });
      if (!error) throw new Error(`${section} takes ${JSON.stringify(some)}`);
      return error;
    },
  };
}

/** Removes the `…Set` flags, which only the sensor sends. */
function sendable(values: Record<string, unknown>): Record<string, unknown> {
  const open = (part: unknown): unknown =>
    Array.isArray(part)
      ? part.map(open)
      : typeof part === "object" && part !== null
        ? sendable(part as Record<string, unknown>)
        : part;
  return Object.fromEntries(
    Object.entries(values)
      .filter(([key]) => !key.endsWith("Set"))
      .map(([key, part]) => [key, open(part)]),
  );
}
