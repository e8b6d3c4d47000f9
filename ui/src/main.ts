import { mount } from "svelte";
import App from "./App.svelte";
import { tauriPlatform } from "./platform";

const target = document.getElementById("app");
if (target) mount(App, { target, props: { platform: tauriPlatform() } });
