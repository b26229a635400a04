// Lists the most expensive request of each anonymous route, and the work that it may cause.
import { password, invitedForm, signUpForm } from "../testing/scenes/registrants.ts";
import { sealForServer } from "../occupancy/display.testing.ts";
import type { CallOptions, Reply, World } from "../testing/world.ts";

export type WorkCounts = { hashes: number; boxes: number; compressed: number; statements: number };
export type RouteCost = {
  /** Omitted kinds of work must not occur. */
  most: Partial<WorkCounts>;
  /**
   * Limit of such requests: per minute from one client, per second from all clients, or per mailed link. Required for hashing, opening
   * a box, and transactions with several writes.
   */
  limit?: { of: "client" | "everybody" | "link"; max: number };
  ask: (n: number, from: string) => Promise<Reply>;
};

export const noId = "019a0000-0000-7000-8000-000000000000";
export const fakeSecret = "A".repeat(43);
export const costFixture = {
  world: null as World | null,
  login: "",
  /** From mails: the token of a reset link, and the path of an invitation. */
  resetToken: "",
  invitation: "",
  publicKey: "",
};

export const ask =
  (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  (_n: number, from: string): Promise<Reply> => {
    const options: CallOptions = { headers: { "x-forwarded-for": from, "accept-encoding": "br", ...headers } };
    if (costFixture.world === null) throw new Error("The test has no world yet");
    return costFixture.world.call(null, method, path, body === undefined ? options : { ...options, body });
  };
const link = `/api/account/${noId}/registration/${fakeSecret}`;
/** A route that only programs on the server's own machine may call. */
const local = (method: string, path: string): RouteCost => ({ most: {}, ask: ask(method, path) });
/** Paths of constant responses, each of which is compressed only once, in two encodings. */
export const constantPaths = ["/api/openapi.json", "/api/docs", "/api/docs/start.js", "/api/docs/scalar.js"];
const constant = (path: string): [string, RouteCost] => [`GET ${path}`, { most: {}, ask: ask("GET", path) }];

/** Costs by route, in the order of the route table. A statement is one round trip to the database; a transaction adds two. */
export const routeCosts: Record<string, RouteCost> = {
  "GET /health": { most: { statements: 1 }, ask: ask("GET", "/health") },
  "GET /health/ready": { most: { statements: 1 }, ask: ask("GET", "/health/ready") },
  "GET /health/live": { most: {}, ask: ask("GET", "/health/live") },
  "GET /metrics": local("GET", "/metrics"),
  "POST /device/v1/enrol": {
    most: { statements: 3 },
    ask: (n, from) => {
      const form = { token: `${fakeSecret}${n}`, id: "020000000050", type: "APS", nonce: "1", time: 1 };
      return ask("POST", "/device/v1/enrol", form)(n, from);
    },
    limit: { of: "everybody", max: 50 },
  },
  "GET /device/fw/:token": { most: {}, ask: ask("GET", `/device/fw/${fakeSecret}`) },
  "POST /device/v1/upload-test/:ticket": { most: {}, ask: ask("POST", `/device/v1/upload-test/${fakeSecret}`) },
  "POST /api/auth/login": {
    // Three of the statements write the audit row of a refusal, after the response.
    most: { hashes: 1, statements: 7 },
    ask: (n, from) =>
      ask("POST", "/api/auth/login", { email: n === 0 ? costFixture.login : `${n}@b.example`, password: "wrong" })(
        n,
        from,
      ),
    limit: { of: "client", max: 50 },
  },
  "PUT /api/auth/evaluate_password": {
    most: { compressed: 0 },
    ask: ask("PUT", "/api/auth/evaluate_password", { password: "a".repeat(1024) }),
    limit: { of: "client", max: 60 },
  },
  "PUT /api/auth/login/forgot_password": {
    most: { statements: 11 },
    ask: (n, from) =>
      ask("PUT", "/api/auth/login/forgot_password", { email: n === 0 ? costFixture.login : `${n}@b.example` })(n, from),
    limit: { of: "client", max: 30 },
  },
  "PUT /api/auth/login/reset_password": {
    most: { hashes: 1, statements: 10 },
    ask: (n, from) =>
      ask("PUT", `/api/auth/login/reset_password?token=${costFixture.resetToken}`, { password: `${password} ${n}` })(
        n,
        from,
      ),
    limit: { of: "link", max: 1 },
  },
  "GET /api/account/:id/registration/:regId": { most: { statements: 1 }, ask: ask("GET", link) },
  "PUT /api/account/:id/registration/:regId": {
    most: { hashes: 1, statements: 12 },
    ask: (n, from) => ask("PUT", `/api${costFixture.invitation}`, invitedForm())(n, from),
    limit: { of: "link", max: 1 },
  },
  "GET /api/account/:id/registration/:regId/verify/:code": {
    most: { statements: 1 },
    ask: ask("GET", `${link}/verify/${fakeSecret}`),
  },
  "PUT /api/account/:id/registration/:regId/verify/:code": {
    most: { statements: 3 },
    ask: ask("PUT", `${link}/verify/${fakeSecret}`),
  },
  "DELETE /api/account/:id/registration/:regId/verify/:code": {
    most: { statements: 4 },
    ask: ask("DELETE", `${link}/verify/${fakeSecret}`),
  },
  "POST /api/account/registration": {
    most: { hashes: 1, statements: 20 },
    ask: (n, from) => ask("POST", "/api/account/registration", signUpForm(`sign-up${n}@b.example`))(n, from),
    limit: { of: "client", max: 30 },
  },
  "GET /api/report/unsubscribe": { most: {}, ask: ask("GET", `/api/report/unsubscribe?token=${fakeSecret}`) },
  "POST /api/report/unsubscribe": { most: {}, ask: ask("POST", "/api/report/unsubscribe", { token: fakeSecret }) },
  "POST /api/report/confirm": { most: {}, ask: ask("POST", "/api/report/confirm", { token: fakeSecret }) },
  "GET /data/gtfs-realtime/:id/vehicle-positions": {
    most: { statements: 1 },
    ask: ask("GET", `/data/gtfs-realtime/${noId}/vehicle-positions?token=${fakeSecret}`),
  },
  "POST /api/display/:id": {
    most: { hashes: 1, boxes: 1, statements: 7 },
    ask: (n, from) => {
      const k = sealForServer(costFixture.publicKey, JSON.stringify({ email: `${n}@b.example`, password }));
      return ask("POST", `/api/display/${noId}`, { k })(n, from);
    },
    limit: { of: "everybody", max: 50 },
  },
  "GET /api/display/:id": {
    most: { statements: 1 },
    ask: ask("GET", `/api/display/${noId}`, undefined, { authorization: `Bearer ${fakeSecret}` }),
  },
  "GET /dev/clock": local("GET", "/dev/clock"),
  "PUT /dev/clock": local("PUT", "/dev/clock"),
  "POST /dev/walk": local("POST", "/dev/walk"),
  "POST /dev/fault": local("POST", "/dev/fault"),
  "GET /dev/mail": local("GET", "/dev/mail"),
  "GET /dev/mail/:name": local("GET", "/dev/mail/a.eml"),
  "POST /unsubscribe": { most: {}, ask: ask("POST", `/unsubscribe?token=${fakeSecret}`) },
  ...Object.fromEntries(constantPaths.map(constant)),
  "GET /config.js": {
    most: { compressed: 4096, statements: 1 },
    ask: ask("GET", "/config.js", undefined, { cookie: `psp_session=${fakeSecret}` }),
  },
  // Only if the console was built.
  "GET /*": {
    most: { compressed: 65_536, statements: 1 },
    ask: ask("GET", "/sensor", undefined, { cookie: `psp_session=${fakeSecret}` }),
  },
};
