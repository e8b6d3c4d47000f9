import { mount } from "svelte";
import App from "./App.svelte";
import { tauriPlatform } from "./platform";

const target = document.getElementById("app");
// A page served by Vite can show the connecting preview by its address; a built one asks the host.
const preview = import.meta.env.DEV && new URLSearchParams(location.search).has("connecting");
if (target) mount(App, { target, props: { platform: tauriPlatform(), preview } });
