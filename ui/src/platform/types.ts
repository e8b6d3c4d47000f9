/** The UI's one port to its host. Only this folder imports @tauri-apps; everything else takes a `Platform`. */
import type { CommandMap } from "../ipc/generated/CommandMap";
import type { DesktopCommandMap } from "../ipc/generated/DesktopCommandMap";
import type { EventEnvelope } from "../ipc/generated/EventEnvelope";
import type { IpcError } from "../ipc/generated/IpcError";

export type Commands = CommandMap & DesktopCommandMap;
export type CommandName = keyof Commands;
export type RequestOf<K extends CommandName> = Commands[K][0];
export type ResponseOf<K extends CommandName> = Commands[K][1];

export interface Platform {
  /** Calls one command. Rejects with an `IpcError`, never with a bare string. */
  call<K extends CommandName>(name: K, request: RequestOf<K>): Promise<ResponseOf<K>>;
  /** Opens this window's event channel; a second call replaces the first. Events are numbered from 1. */
  attach(onEvent: (envelope: EventEnvelope) => void): Promise<void>;
}

export function isIpcError(value: unknown): value is IpcError {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as IpcError).code === "string" &&
    typeof (value as IpcError).message === "string"
  );
}

/** Whatever was thrown, as an `IpcError` with words. */
export function toIpcError(value: unknown): IpcError {
  if (isIpcError(value)) return value;
  const message = value instanceof Error ? value.message : typeof value === "string" ? value : "";
  return { code: "internal", message: message || "Something went wrong inside Talaria.", retryable: false };
}
