// Certificates for tests with TLS, made by openssl.
import { execFile, spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Writes `{name}.crt` and `{name}.key`, for localhost. Signed by itself, or by `issuer` in the same folder. */
export async function makeCertificate(folder: string, name: string, issuer?: string): Promise<void> {
  const path = (file: string) => join(folder, file);
  const files = ["-keyout", path(`${name}.key`), "-out", path(`${name}.crt`)];
  const owner = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=DNS:localhost", "-days", "2"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const signer = issuer === undefined ? [] : ["-CA", path(`${issuer}.crt`), "-CAkey", path(`${issuer}.key`)];
  await promisify(execFile)("openssl", ["req", "-x509", ...key, ...files, ...owner, ...signer]);
  await chmod(path(`${name}.key`), 0o600);
}
