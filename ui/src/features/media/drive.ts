/**
 * One audio or video element on one address: waits for its metadata, finds the listener's place again, tells what
 * becomes of it, and gives the file up at the end. Never starts before the metadata are there: playing before them
 * makes WebKitGTK copy the whole file to disk (measured).
 */
import { claim, recall, release, remember, resumeAt, speedOf } from "./playback";
import { createPositions } from "./positions";
import { wakeAtEnd, wakeInView, wakeStalled } from "./wake";

export interface Driven {
  url: string;
  /** The key under which position, length, speed and size are remembered. */
  memory: string;
  /** Seconds; where the host knows the listener to be. */
  position: number;
  /** It played on the address before: it goes on here. */
  playOn: boolean;
  /** The metadata are here. */
  onKnown: () => void;
  /** Whether there is anything to see is known. */
  onReady: (hasPicture: boolean) => void;
  onPlaying: (isPlaying: boolean) => void;
  /** It was set going, and not because of `playOn`. */
  onPressed: () => void;
  /** Seconds; the length is null while it is not known. */
  onTime: (elapsed: number, duration: number | null) => void;
  /** Keeps the place beyond this window. */
  onPosition: (seconds: number) => void;
  onFailed: (mediaErrorCode: number | undefined, wasPlaying: boolean) => void;
}

/** So near the start that nothing is left out, yet not the place the clock is at already. */
const FIRST_PICTURE_S = 0.001;
/** The element's own word for: the data of the present place is here. */
const HAVE_CURRENT_DATA = 2;

/** So long nothing must be seen before a file counts as one without a picture. */
const NO_PICTURE_MS = 2000;

/** Where the web view tells its tracks (WebKit does); elsewhere the size alone decides. */
interface WithTracks {
  videoTracks?: { length: number };
  audioTracks?: { length: number };
}

/**
 * Whether the data of the present place is here without a picture. On a busy machine WebKit tells size and tracks after
 * all its events (measured): a file of which it knows no track at all yet says nothing.
 */
function seesNothing(node: HTMLVideoElement & WithTracks): boolean {
  if (node.videoWidth > 0 || node.readyState < HAVE_CURRENT_DATA || node.seeking) return false;
  return (node.videoTracks?.length ?? 0) === 0 && node.audioTracks?.length !== 0;
}

export function setSpeed(node: HTMLMediaElement, speed: number): void {
  // A new address begins with the default.
  node.defaultPlaybackRate = speed;
  node.playbackRate = speed;
}

export function drive(node: HTMLMediaElement, driven: Driven): () => void {
  const { memory } = driven;
  const known = { position: recall(memory).position ?? driven.position };
  const positions = createPositions(driven.onPosition, driven.position);
  // Plain variables: while the card is taken down, state reads as it was before its last change.
  let done = false;
  let ready = false;
  let judged = false;
  let goesOn = driven.playOn;
  let doubt: ReturnType<typeof setTimeout> | undefined;
  node.preload = "metadata";
  node.src = driven.url;

  const place = () => (node.ended ? 0 : node.currentTime);
  const length = () => (Number.isFinite(node.duration) ? node.duration : null);

  const tell = (hasPicture: boolean) => {
    judged = true;
    driven.onReady(hasPicture);
  };
  /** Tells once whether there is anything to see: at once that there is, and later that there is not. */
  const judge = () => {
    if (done || judged || !ready) return;
    if (!(node instanceof HTMLVideoElement)) tell(true);
    else if (node.videoWidth > 0 && node.videoHeight > 0) {
      remember(memory, { size: { width: node.videoWidth, height: node.videoHeight } });
      tell(true);
    } else if (doubt === undefined && seesNothing(node)) {
      doubt = setTimeout(() => {
        doubt = undefined;
        if (!done && !judged && seesNothing(node)) tell(false);
      }, NO_PICTURE_MS);
    }
  };
  const keep = () => {
    // Dropping the address moves the clock to 0; that is not where the listener was.
    if (done || !ready) return;
    remember(memory, { position: place(), duration: length() });
    driven.onTime(node.currentTime, length());
  };
  const stand = () => {
    keep();
    if (!done && ready) positions.stands(place());
  };

  const listeners: Record<string, () => void> = {
    loadedmetadata() {
      const position = resumeAt(known.position, node.duration);
      node.preservesPitch = true;
      setSpeed(node, speedOf(memory));
      if (position > 0) node.currentTime = position;
      // With the metadata alone WebKitGTK paints nothing; a seek makes it show the first picture (measured: no copy of
      // the file on disk, replay and seeking as before).
      else if (node instanceof HTMLVideoElement) node.currentTime = FIRST_PICTURE_S;
      ready = true;
      driven.onKnown();
      driven.onTime(position, length());
      judge();
      // Not awaited: WebKit may never settle it (measured).
      if (driven.playOn) node.play().catch(() => undefined);
    },
    durationchange: keep,
    resize: judge,
    loadeddata: judge,
    canplay: judge,
    timeupdate() {
      judge();
      keep();
      if (!done && ready && !node.paused && !node.seeking) positions.played(node.currentTime);
    },
    seeked() {
      judge();
      keep();
      if (!done && ready) positions.sought(place());
    },
    play() {
      // Paused again already: it was only let go (`wakeAtEnd`), and nobody else is to stop for that.
      if (node.paused) return;
      claim(node);
      driven.onPlaying(true);
      if (goesOn) goesOn = false;
      else driven.onPressed();
    },
    pause() {
      stand();
      if (!done) driven.onPlaying(false);
    },
    ended() {
      stand();
      if (!done) driven.onPlaying(false);
    },
    error() {
      if (done) return;
      const wasPlaying = ready && !node.paused;
      driven.onPlaying(false);
      driven.onFailed(node.error?.code, wasPlaying);
    },
    fullscreenchange() {
      // Leaving it takes the focus away (measured); the keys of the player go on.
      if (document.fullscreenElement === null && document.activeElement === document.body) {
        node.focus({ preventScroll: true });
      }
    },
  };
  for (const [type, listener] of Object.entries(listeners)) node.addEventListener(type, listener);
  window.addEventListener("pagehide", stand);
  const rests = [wakeStalled(node), wakeAtEnd(node)];
  if (node instanceof HTMLVideoElement) rests.push(wakeInView(node));
  return () => {
    stand();
    for (const rest of rests) rest();
    positions.end();
    done = true;
    clearTimeout(doubt);
    release(node);
    window.removeEventListener("pagehide", stand);
    for (const [type, listener] of Object.entries(listeners)) node.removeEventListener(type, listener);
  };
}
