/** Names and kinds of media for people. Pure. */
import type { TagKind } from "../../ipc/generated/TagKind";

export interface SplitName {
  stem: string;
  /** With its dot; empty when there is none. */
  extension: string;
}

/** A name in two, so that a long stem is cut and the extension always stays in view. */
export function splitName(name: string): SplitName {
  const match = /^(.+)(\.[\p{L}\p{N}]{1,8})$/su.exec(name);
  return match ? { stem: match[1] ?? "", extension: match[2] ?? "" } : { stem: name, extension: "" };
}

/** `MP4`; empty without an extension. */
export function formatName(name: string): string {
  return splitName(name).extension.slice(1).toUpperCase();
}

const AUDIO = new Set("aac flac m4a mp3 oga ogg opus wav".split(" "));
const VIDEO = new Set("avi m4v mkv mov mp4 ogv webm".split(" "));
const PICTURE = new Set("bmp gif jpeg jpg png webp".split(" "));

/** What an address on another computer seems to be. Only for its words: nothing is fetched to find out. */
export function remoteKind(
  address: string,
  fallback: Exclude<TagKind, "remote">,
): Exclude<TagKind, "remote"> {
  const extension = splitName(remoteName(address)).extension.slice(1).toLowerCase();
  if (AUDIO.has(extension)) return "audio";
  if (VIDEO.has(extension)) return "video";
  if (PICTURE.has(extension)) return "picture";
  return fallback;
}

/** The last part of an address's path, as people read it; the host when there is none. */
export function remoteName(address: string): string {
  try {
    const url = new URL(address);
    const last = url.pathname.split("/").filter(Boolean).at(-1);
    if (last === undefined) return url.host;
    try {
      return decodeURIComponent(last);
    } catch {
      return last;
    }
  } catch {
    return address;
  }
}
