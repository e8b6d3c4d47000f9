import { Channel, invoke } from "@tauri-apps/api/core";
import type { EventEnvelope } from "../ipc/generated/EventEnvelope";
import { toIpcError, type CommandName, type Platform, type RequestOf, type ResponseOf } from "./types";

/** The desktop host. Events come only by this window's own channel; the page registers no global listener. */
export function tauriPlatform(): Platform {
  let attached = 0;
  return {
    async call<K extends CommandName>(name: K, request: RequestOf<K>): Promise<ResponseOf<K>> {
      try {
        return await invoke<ResponseOf<K>>(name, request as Record<string, unknown>);
      } catch (error) {
        throw toIpcError(error);
      }
    },
    async attach(onEvent) {
      const mine = ++attached;
      const channel = new Channel<EventEnvelope>();
      channel.onmessage = (envelope) => {
        // A replaced channel may still deliver what was under way.
        if (mine === attached) onEvent(envelope);
      };
      try {
        await invoke("window_attach", { channel });
      } catch (error) {
        throw toIpcError(error);
      }
    },
  };
}
