// Dialog that creates and revokes display links (OC-03).
import { emailPattern, maxEmailLength } from "@psp/contract/account/email.ts";
import { checkDisplayLink, revokeDisplayTokens } from "@psp/contract/occupancy/occupancy.api.ts";
import { Alert, Button, TextField } from "@mui/material";
import { useState } from "react";
import { useGo, useParam } from "../../address/navigation.tsx";
import { loadChunk } from "../../address/loadChunk.ts";
import { paths } from "../../address/paths.ts";
import { call, CallError } from "../../api/call.ts";
import { failureText, refusalOf } from "../../api/useFailure.ts";
import { config } from "../../api/config.ts";
import { copyText } from "../../ui/CopyButton.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { ConfirmDialog } from "../../ui/form/ConfirmDialog.tsx";
import { CopyField } from "../../ui/form/CopyField.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { PasswordField } from "../../ui/form/PasswordField.tsx";
import { DisplayGate } from "../DisplayGate.tsx";
import { appLocationQueries, useMayEditLocation } from "../occupancy.queries.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { linkText as text } from "./link.text.ts";

const copiedMs = 2500;

/** URL of a display. Leads to the external display application if one is configured. */
export function buildDisplayUrl(id: string, k: string, { links, publicUrl } = config): string {
  const own = `${publicUrl ?? location.origin}/display`;
  return `${(links.occupancy ?? own).replace(/\/+$/, "")}/${id}?k=${k}`;
}

export function LinkDialog() {
  const id = useParam("id");
  const { data } = appLocationQueries.useOne(id);
  return <DisplayGate id={id}>{data === undefined ? null : <Making location={data} />}</DisplayGate>;
}

function Making({ location: { _id: id, name }, location }: { location: Location }) {
  const go = useGo();
  const toasts = useToasts();
  const { ready, mayEdit } = useMayEditLocation(location);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [link, setLink] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [isRevoking, setRevoking] = useState(false);
  const errors = loginErrors(email, password);
  const errorOf = (field: "email" | "password") => (left.has(field) ? errors[field] : undefined);
  const leave = (...fields: string[]) => setLeft((before) => new Set([...before, ...fields]));
  // The link contains the login, so changing the login discards the link.
  const changed = (set: (value: string) => void) => (value: string) => {
    setLink(null);
    setFailure(null);
    set(value);
  };

  const generate = async () => {
    leave("email", "password");
    setFailure(null);
    if (Object.keys(errors).length > 0) return;
    const { displayPublicKey } = config;
    if (displayPublicKey === null) return setFailure(text.noKey);
    try {
      const { sealLogin } = await loadChunk("seal", () => import("./seal.ts"));
      const k = sealLogin({ email: email.trim(), password }, displayPublicKey);
      await call(checkDisplayLink, { params: { id }, body: { k } });
      const made = buildDisplayUrl(id, k);
      setLink(made);
      if (await copyText(made)) toasts.success(text.copied, undefined, copiedMs);
      else setFailure(text.notCopied);
    } catch (error) {
      const wrong = error instanceof CallError && error.status === 401 ? refusalOf(error)?.reason : undefined;
      setFailure(`${text.failed} ${wrong === undefined ? failureText(error) : `${wrong}.`}`);
    }
  };

  return (
    <>
      <FormDialog
        open
        title={text.title}
        maxWidth={560}
        submitLabel={text.generate}
        cancelLabel={text.close}
        error={failure}
        onSubmit={generate}
        onClose={() => go(paths.occupancyApp(id))}
        extraActions={
          <Disabled reason={!ready || mayEdit ? undefined : text.noRevoke}>
            <Button color="error" sx={{ mr: "auto" }} onClick={() => setRevoking(true)}>
              {text.revoke}
            </Button>
          </Disabled>
        }
      >
        <div>{text.about(name)}</div>
        <Alert severity="warning">{text.warning}</Alert>
        <TextField
          id="link-email"
          label={text.email}
          type="email"
          value={email}
          onChange={({ target }) => changed(setEmail)(target.value)}
          onBlur={() => leave("email")}
          error={errorOf("email") !== undefined}
          helperText={errorOf("email")}
          autoComplete="off"
          required
        />
        {/* Not the user's own login, so no autofill. */}
        <PasswordField
          id="link-password"
          label={text.password}
          value={password}
          onChange={({ target }) => changed(setPassword)(target.value)}
          onBlur={() => leave("password")}
          error={errorOf("password") !== undefined}
          helperText={errorOf("password")}
          autoComplete="new-password"
          required
        />
        {link === null ? null : <CopyField label={text.link} value={link} copyLabel={text.copy} />}
      </FormDialog>
      <Revoking id={id} name={name} open={isRevoking} onClose={() => setRevoking(false)} />
    </>
  );
}

function loginErrors(email: string, password: string): { email?: string; password?: string } {
  const typed = email.trim();
  const isEmail = typed.length <= maxEmailLength && emailPattern.test(typed);
  const wrong = typed === "" ? text.emailRequired : isEmail ? undefined : text.emailInvalid;
  return { ...(wrong && { email: wrong }), ...(password === "" && { password: text.passwordRequired }) };
}

type RevokingProps = { id: string; name: string; open: boolean; onClose: () => void };

function Revoking({ id, name, open, onClose }: RevokingProps) {
  const toasts = useToasts();
  const [failure, setFailure] = useState<string | null>(null);
  const close = () => {
    setFailure(null);
    onClose();
  };
  const revoke = async () => {
    try {
      const { revoked } = await call(revokeDisplayTokens, { params: { id } });
      toasts.success(text.revoked(revoked));
      close();
    } catch (error) {
      setFailure(failureText(error));
    }
  };
  return (
    <ConfirmDialog
      open={open}
      title={text.revokeTitle}
      confirmLabel={text.revokeConfirm}
      error={failure}
      onConfirm={revoke}
      onClose={close}
    >
      {text.revokeQuestion(name)}
    </ConfirmDialog>
  );
}
