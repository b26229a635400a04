// The device page: one document, one script, one style sheet, no external resources.

export const pageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sensor configuration</title>
<link rel="stylesheet" href="/page.css">
<script src="/page.js" defer></script>
</head>
<body>
<header><h1>Sensor configuration</h1><p id="who"></p></header>
<main>
<p id="line" role="status">Loading</p>
<section aria-labelledby="facts-title"><h2 id="facts-title">This sensor</h2><dl id="facts"></dl></section>
<section aria-labelledby="counts-title"><h2 id="counts-title">People in this interval</h2><dl id="counts"></dl></section>
<section aria-labelledby="settings-title"><h2 id="settings-title">Settings</h2>
<form id="settings">
<label for="name">Device name</label><input id="name" name="name" maxlength="40" autocomplete="off">
<label class="check"><input id="led" name="led" type="checkbox"> Status light</label>
<p id="result" role="status"></p>
<button>Save</button>
</form></section>
</main>
</body>
</html>
`;

export const pageCss = `:root{--line:#8885;--accent:#0b6b62}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:40rem;padding:1.5rem}
header{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:.5rem 1rem;border-bottom:1px solid var(--line)}
h1{font-size:1.4rem;margin:.5rem 0}h2{font-size:1.05rem;margin:1.75rem 0 .5rem}
dl{display:grid;grid-template-columns:10rem 1fr;gap:.25rem 1rem;margin:0}dt{opacity:.75}dd{margin:0;font-variant-numeric:tabular-nums}
form{display:grid;gap:.5rem;justify-items:start}input:not([type=checkbox]){font:inherit;padding:.4rem .6rem;width:100%;max-width:22rem}
button{font:inherit;padding:.45rem 1.2rem;border:0;border-radius:.4rem;background:var(--accent);color:#fff;cursor:pointer}
button[aria-disabled=true]{opacity:.5;cursor:not-allowed}.check{display:flex;gap:.5rem;align-items:center}
`;

/** Polls twice a second over HTTP, or uses a WebSocket if one can be opened. */
export const pageJs = `const byId = (id) => document.getElementById(id);
let shown = null;
const list = (id, facts) => {
  byId(id).replaceChildren(...Object.entries(facts).flatMap(([name, value]) => {
    const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
    dt.textContent = name;
    dd.textContent = String(value);
    return [dt, dd];
  }));
};
const say = (text) => { if (byId("line").textContent !== text) byId("line").textContent = text; };
function show(state) {
  list("facts", state.facts);
  list("counts", state.counts);
  byId("who").textContent = state.user;
  const readOnly = state.user !== "user-role-edit";
  document.querySelector("#settings button").setAttribute("aria-disabled", String(readOnly));
  for (const id of ["name", "led"]) byId(id).toggleAttribute(id === "name" ? "readonly" : "disabled", readOnly);
  if (shown === null || JSON.stringify(shown) !== JSON.stringify(state.settings)) {
    shown = state.settings;
    byId("name").value = shown.name;
    byId("led").checked = shown.led;
  }
  say("Connected");
}
async function read() {
  const reply = await fetch("/status").catch(() => null);
  if (reply === null || !reply.ok) {
    say(reply?.status === 403 ? "This session has ended" : "The sensor can't be reached");
    return reply?.status !== 403;
  }
  show(await reply.json());
  return true;
}
async function poll() {
  if (await read()) setTimeout(poll, 500);
}
function follow() {
  const socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/live");
  socket.onmessage = ({ data }) => show(JSON.parse(data));
  socket.onclose = () => setTimeout(poll, 100);
}
byId("settings").addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = JSON.stringify({ name: byId("name").value, led: byId("led").checked });
  const reply = await fetch("/settings", { method: "PUT", headers: { "content-type": "application/json" }, body }).catch(() => null);
  const texts = { 200: "Saved", 403: "You can view but not change this sensor.", 400: "The name is not valid." };
  byId("result").textContent = texts[reply?.status] ?? "Not saved";
  if (reply?.ok) void read();
});
read().then(() => (byId("who").textContent === "user-role-edit" ? follow() : poll()));
`;
