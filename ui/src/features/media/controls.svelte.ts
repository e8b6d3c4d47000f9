/** What a card's bar and keys do with its player, and what they show of it. It holds the element only while it stands. */
import { playerAct, seekTo, volumeAfter, type PlayerAct } from "./keys";
import { setSpeed } from "./drive";
import { chooseSpeed, recall, speedOf } from "./playback";
import { stepSpeed } from "./speed";

/** Which way to a picture of its own the web view has. */
type Apart = "standard" | "webkit" | null;

interface WebKitVideo extends HTMLVideoElement {
  webkitSupportsPresentationMode?: (mode: string) => boolean;
  webkitSetPresentationMode?: (mode: string) => void;
  webkitPresentationMode?: string;
  webkitEnterFullscreen?: () => void;
}

function wayApart(node: HTMLMediaElement | null): Apart {
  if (!(node instanceof HTMLVideoElement)) return null;
  if (typeof node.requestPictureInPicture === "function" && document.pictureInPictureEnabled)
    return "standard";
  return (node as WebKitVideo).webkitSupportsPresentationMode?.("picture-in-picture") ? "webkit" : null;
}

export class PlayerControls {
  readonly #memory: string;
  element = $state.raw<HTMLMediaElement | null>(null);
  /** Whole seconds; so the bar is drawn once a second. */
  elapsed = $state(0);
  /** Seconds; null while it is not known. */
  duration = $state<number | null>(null);
  speed = $state(1);
  readonly apart = $derived(wayApart(this.element));

  constructor(memory: string) {
    this.#memory = memory;
    const { position, duration } = recall(memory);
    this.time(position ?? 0, duration);
    this.speed = speedOf(memory);
  }

  /** The element stands, or is gone. */
  take(element: HTMLMediaElement | null): void {
    this.element = element;
    this.speed = speedOf(this.#memory);
  }

  time(elapsed: number, duration: number | null): void {
    this.elapsed = Math.floor(elapsed);
    this.duration = duration;
  }

  chooseSpeed(speed: number): void {
    chooseSpeed(this.#memory, speed);
    this.speed = speed;
    if (this.element !== null) setSpeed(this.element, speed);
  }

  /** Takes a key of the player, before the web view's own controls see it. */
  key(event: KeyboardEvent): void {
    const { target } = event;
    if (this.element === null || this.element.readyState === 0 || !(target instanceof Element)) return;
    const onControl = target.closest("button, a, [role=menuitem]") !== null;
    const act = playerAct(event, { isVideo: this.element instanceof HTMLVideoElement, onControl });
    if (act === null) return;
    event.preventDefault();
    event.stopPropagation();
    // A key that is held down goes on seeking and changing, but plays and stops once.
    const goesOn = act.act === "seek" || act.act === "volume";
    if (!event.repeat || goesOn) this.do(act);
  }

  do(act: PlayerAct): void {
    const node = this.element;
    if (node === null) return;
    switch (act.act) {
      case "toggle":
        if (node.paused) node.play().catch(() => undefined);
        else node.pause();
        break;
      case "seek":
        node.currentTime = seekTo(node.currentTime, act.by, node.duration);
        break;
      case "start":
        node.currentTime = 0;
        break;
      case "end":
        if (Number.isFinite(node.duration)) node.currentTime = node.duration;
        break;
      case "volume":
        node.volume = volumeAfter(node.volume, act.by);
        if (act.by > 0) node.muted = false;
        break;
      case "mute":
        node.muted = !node.muted;
        break;
      case "fullscreen":
        this.#fullscreen(node);
        break;
      case "speed":
        this.chooseSpeed(stepSpeed(this.speed, act.step));
        break;
    }
  }

  #fullscreen(node: HTMLMediaElement): void {
    if (document.fullscreenElement === node) void document.exitFullscreen().catch(() => undefined);
    else if (typeof node.requestFullscreen === "function") node.requestFullscreen().catch(() => undefined);
    else (node as WebKitVideo).webkitEnterFullscreen?.();
  }

  /** Into a picture of its own, or back. Fails where the system has no room for one. */
  async showApart(): Promise<void> {
    const node = this.element as WebKitVideo | null;
    if (node === null) return;
    if (this.apart === "standard") {
      if (document.pictureInPictureElement === node) await document.exitPictureInPicture();
      else await node.requestPictureInPicture();
    } else if (this.apart === "webkit") {
      const isApart = node.webkitPresentationMode === "picture-in-picture";
      node.webkitSetPresentationMode?.(isApart ? "inline" : "picture-in-picture");
    }
  }
}
