// The other tabs of this browser: they share the session's cookie, so each learns of a login and a logout at once.

const channelName = "psp-session";

type Handlers = { onLogin: () => void; onLogout: () => void };

export function openTabs({ onLogin, onLogout }: Handlers) {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener("message", ({ data }) => {
    if (data === "login") onLogin();
    if (data === "logout") onLogout();
  });
  return {
    sayLogin: () => channel.postMessage("login"),
    sayLogout: () => channel.postMessage("logout"),
    close: () => channel.close(),
  };
}

export type Tabs = ReturnType<typeof openTabs>;
