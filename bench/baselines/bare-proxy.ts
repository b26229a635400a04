// Baseline for the device page proxy: http-proxy-3 in front of a server, without session or tunnel. Usage:
// `node bare-proxy.ts TARGET PORT`.
import { createProxyServer } from "http-proxy-3";

const [, , target = "", port = "0"] = process.argv;
createProxyServer({ target }).listen(Number(port), "127.0.0.1");
process.stdout.write("ready\n");
