// The calls about sessions (decisions 4, spec 1 §7).
import { z } from "zod";
import { endpoint } from "../kit/endpoint.ts";
import { evaluationSchema, loginSchema, passwordToEvaluateSchema, sessionUserSchema } from "./auth.ts";

export const login = endpoint({
  name: "login",
  method: "POST",
  path: "/auth/login",
  caller: "public",
  summary: "Signs in; answers a bearer token and sets the session cookie",
  body: loginSchema,
  reply: z.object({ token: z.string(), expiresAt: z.string(), user: sessionUserSchema }),
});
export const getSessionUser = endpoint({
  name: "getSessionUser",
  method: "GET",
  path: "/auth/user",
  caller: "session",
  summary: "The signed-in account with its role, permissions and ancestors",
  reply: sessionUserSchema,
});
export const createTicket = endpoint({
  name: "createTicket",
  method: "POST",
  path: "/auth/ticket",
  caller: "session",
  summary: "A one-time ticket for opening the live socket, valid for 30 seconds",
  reply: z.object({ ticket: z.string(), expiresAt: z.string() }),
});
export const evaluatePassword = endpoint({
  name: "evaluatePassword",
  method: "PUT",
  path: "/auth/evaluate_password",
  caller: "public",
  summary: "Tells which password rules a text fulfils; the rules hold wherever a password is set",
  body: passwordToEvaluateSchema,
  reply: evaluationSchema,
});
