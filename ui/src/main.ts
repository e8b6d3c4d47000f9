import { mount } from "svelte";
import App from "./App.svelte";
import { onFirstFrame } from "./lib/webview";
import { tauriPlatform } from "./platform";

const target = document.getElementById("app");
// A page served by Vite can show the connecting preview by its address; a built one asks the host.
const preview = import.meta.env.DEV && new URLSearchParams(location.search).has("connecting");
const platform = tauriPlatform();
// The window of one session says so by its address.
const alone = new URLSearchParams(location.search).get("session");
if (target) mount(App, { target, props: { platform, preview, alone } });
// A host that cannot take it draws the next start more carefully, and that is all.
onFirstFrame(() => void platform.call("window_painted", {}).catch(() => undefined));
