/**
 * Where a card's file is to be had, and why it is not: asks the host for an address, goes through what can be tried when
 * the player fails, and ends in words. It knows no element.
 */
import type { MediaOpenResponse } from "../../ipc/generated/MediaOpenResponse";
import type { MediaTag } from "../../ipc/generated/MediaTag";
import { toIpcError, type Platform } from "../../platform/types";
import { missingPackages, type CanPlay } from "./codecs";
import { isReplaced, nextStep } from "./ladder";
import { formatName } from "./names";
import { codeOfError, codeOfMediaError, problemOf, type Problem, type ProblemCode } from "./problem";

/** The web view this runs in. */
export interface WebView {
  linux: boolean;
  canPlay: CanPlay;
}

/** How a player failed. */
export interface Failure {
  /** `MediaError.code`; a picture has none. */
  mediaError: number | undefined;
  wasPlaying: boolean;
  /** Its metadata, or the picture, had been there. */
  wasReady: boolean;
}

export class MediaSource {
  opened = $state.raw<MediaOpenResponse | null>(null);
  url = $state("");
  /** Grows with each new try: the same address again wants a new element, too. */
  turn = $state(0);
  problem = $state.raw<Problem | null>(null);
  /** It played where it failed, so it goes on at the next address. */
  playOn = $state(false);

  readonly #platform: Platform;
  readonly #sessionId: string;
  readonly #tag: MediaTag;
  readonly #webView: WebView;
  /** The address was asked for since the card last came near; an older one may have ended. */
  #isFresh = false;
  #looked = false;
  #asked = 0;
  #looking = false;
  /** Which asking for the first address is under way. */
  #opening: number | null = null;

  constructor(platform: Platform, sessionId: string, tag: MediaTag, webView: WebView) {
    this.#platform = platform;
    this.#sessionId = sessionId;
    this.#tag = tag;
    this.#webView = webView;
  }

  get name(): string {
    return this.opened?.name || this.#tag.name;
  }

  /** The card is far from the window: its address may end meanwhile. */
  away(): void {
    this.#isFresh = false;
    this.#looked = false;
  }

  /** Asks for the address, unless that is under way. */
  async open(): Promise<void> {
    if (this.#opening === this.#asked) return;
    const mine = ++this.#asked;
    this.#opening = mine;
    try {
      const answer = await this.#ask();
      if (mine === this.#asked) this.#take(answer);
    } catch (error) {
      if (mine === this.#asked) this.#refused(error);
    } finally {
      if (mine === this.#opening) this.#opening = null;
    }
  }

  /**
   * Whether the file is still the one it was: one that grew or was replaced is taken anew, and one that is gone or closed
   * by now is told. Called when somebody is about to see or hear it; what does not answer changes nothing.
   */
  async look(isPlaying: () => boolean): Promise<void> {
    const opened = this.opened;
    if (opened === null || this.problem !== null || this.#looking) return;
    const before = this.#asked;
    this.#looking = true;
    try {
      const answer = await this.#ask();
      if (before !== this.#asked) return;
      this.#isFresh = true;
      // Another address: the grant of the one before has ended.
      if (answer.url === opened.url && !isReplaced(opened, answer)) return;
      this.playOn = isPlaying();
      this.#take(answer);
    } catch (error) {
      if (before === this.#asked && codeOfError(toIpcError(error).code) !== "failed") this.#refused(error);
    } finally {
      this.#looking = false;
    }
  }

  /** Everything anew, as a click on "Try again" asks for. */
  retry(): void {
    this.problem = null;
    this.opened = null;
    this.playOn = false;
    this.#looked = false;
    this.#opening = null;
    void this.open();
  }

  /** A video without a picture: told, while its sound goes on. */
  hasNoPicture(): void {
    this.#fail("no_picture");
  }

  /** The player gave up: the next thing is tried, or the reason told. */
  async failed(failure: Failure): Promise<void> {
    const opened = this.opened;
    const mine = ++this.#asked;
    if (failure.wasPlaying) this.playOn = true;
    const step = nextStep({
      isFresh: this.#isFresh,
      url: this.url,
      fallbackUrl: opened?.fallback_url ?? null,
      looked: this.#looked,
    });
    if (opened === null || step === "give_up") this.#giveUp(failure);
    else if (step === "swap") await this.#swap(opened, failure, mine);
    else await this.#askAgain(opened, failure, mine, step);
  }

  async #swap(opened: MediaOpenResponse, failure: Failure, mine: number): Promise<void> {
    try {
      await this.#platform.call("media_fallback", {
        mime: opened.mime,
        url: this.url,
        ...(failure.mediaError === undefined ? {} : { media_error: failure.mediaError }),
      });
      if (mine === this.#asked) this.#go(opened.fallback_url ?? opened.url);
    } catch (error) {
      if (mine !== this.#asked) return;
      const { code, message } = toIpcError(error);
      // The other address would bring the same: what is left is to see whether the file is still the one it was.
      if (code !== "unsupported") this.#fail("no_player", message);
      else if (this.#looked) this.#giveUp(failure);
      else await this.#askAgain(opened, failure, mine, "look");
    }
  }

  async #askAgain(
    opened: MediaOpenResponse,
    failure: Failure,
    mine: number,
    step: "reopen" | "look",
  ): Promise<void> {
    if (step === "look") this.#looked = true;
    try {
      const answer = await this.#ask();
      if (mine !== this.#asked) return;
      if (step === "reopen" || isReplaced(opened, answer)) this.#take(answer);
      else this.#giveUp(failure);
    } catch (error) {
      if (mine === this.#asked) this.#refused(error);
    }
  }

  #ask(): Promise<MediaOpenResponse> {
    return this.#platform.call("media_open", { session_id: this.#sessionId, path: this.#tag.target });
  }

  #take(answer: MediaOpenResponse): void {
    this.#isFresh = true;
    this.opened = answer;
    this.problem = null;
    this.#go(answer.url);
  }

  #go(url: string): void {
    this.url = url;
    this.turn += 1;
  }

  #refused(error: unknown): void {
    const { code, message } = toIpcError(error);
    this.#fail(codeOfError(code), message);
  }

  #giveUp({ mediaError, wasReady }: Failure): void {
    if (this.opened?.size === 0) {
      this.#fail("empty");
      return;
    }
    if (this.opened?.kind === "picture") {
      this.#fail("broken");
      return;
    }
    const lacks = !this.#webView.linux || this.#packages().length > 0;
    this.#fail(codeOfMediaError(mediaError, { wasReady, lacks }));
  }

  #packages(): string[] {
    return this.#webView.linux ? missingPackages(formatName(this.name), this.#webView.canPlay) : [];
  }

  #fail(code: ProblemCode, said = ""): void {
    const { linux } = this.#webView;
    const subject = { name: this.name, linux, packages: this.#packages() };
    this.problem = problemOf(code, subject, said);
  }
}
