// API calls for sessions and passwords.
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { uuid } from "../kit/ids.ts";
import {
  passwordEvaluationSchema,
  forgotPasswordSchema,
  loginSchema,
  activeSessionSchema,
  passwordToEvaluateSchema,
  resetPasswordSchema,
  sessionUserSchema,
} from "./auth.ts";

export const login = endpoint("login", "POST", "/auth/login", {
  caller: "public",
  secret: true,
  summary: "Signs in; answers a bearer token and sets the session cookie",
  body: loginSchema,
  reply: z.object({ token: z.string(), expiresAt: z.string(), user: sessionUserSchema }),
});
export const getSessionUser = endpoint("getSessionUser", "GET", "/auth/user", {
  summary: "The signed-in account with its role, permissions and ancestors",
  reply: sessionUserSchema,
});
export const createTicket = endpoint("createTicket", "POST", "/auth/ticket", {
  secret: true,
  summary: "A one-time ticket for opening the live socket, valid for 30 seconds",
  reply: z.object({ ticket: z.string(), expiresAt: z.string() }),
});
/** Covers only sessions of the caller's own login, not those of other logins of the account. */
export const listSessions = endpoint("listSessions", "GET", "/auth/sessions", {
  summary: "Where the caller's login is used, this session first, then by last use",
  reply: z.array(activeSessionSchema),
});
export const endOtherSessions = endpoint("endOtherSessions", "DELETE", "/auth/sessions", {
  summary: "Ends all sessions of the caller's login but the calling one",
  reply: z.object({ ended: z.int() }),
});
export const endSession = endpoint("endSession", "DELETE", "/auth/sessions/{id}", {
  summary: "Ends one session of the caller's login; the calling one, too",
  params: z.strictObject({ id: uuid }),
  reply: z.object({ _id: z.string() }),
});
export const evaluatePassword = endpoint("evaluatePassword", "PUT", "/auth/evaluate_password", {
  caller: "public",
  summary: "Tells which password rules a text fulfils; the rules hold wherever a password is set",
  body: passwordToEvaluateSchema,
  reply: passwordEvaluationSchema,
});
export const forgotPassword = endpoint("forgotPassword", "PUT", "/auth/login/forgot_password", {
  caller: "public",
  summary: "Mails a reset link to a complete login; answers alike whether or not the address is known",
  body: forgotPasswordSchema,
  reply: z.object({}),
});
/**
 * An unusable token is 102 with `details.field` "token", because it is an argument and not a missing permission. A password that
 * breaks the rules is 205 with `details.requirements`, and the link stays valid.
 */
export const resetPassword = endpoint("resetPassword", "PUT", "/auth/login/reset_password", {
  caller: "public",
  summary: "Sets a new password by the token of a mailed link and ends all sessions of that login",
  query: z.strictObject({ token: boundedText(4096) }),
  body: resetPasswordSchema,
  reply: z.object({}),
});
