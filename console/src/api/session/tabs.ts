// Sends logins and logouts to the other tabs, and receives theirs.

const channelName = "psp-session";

type Handlers = { onLogin: () => void; onLogout: () => void };

export function openTabChannel({ onLogin, onLogout }: Handlers) {
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

export type TabChannel = ReturnType<typeof openTabChannel>;
