export * from "./types";
export { tauriPlatform } from "./tauri";
