/**
 * Which packages WebKitGTK needs to decode what a kind of file usually holds. Pure: the web view is asked through
 * `canPlay`, whose answers fit what plays (measured with the packages of Debian 12, one by one).
 */

/** `HTMLMediaElement.canPlayType`, as yes or no. */
export type CanPlay = (type: string) => boolean;

export const BASE = "gstreamer1.0-plugins-base";
export const GOOD = "gstreamer1.0-plugins-good";
export const BAD = "gstreamer1.0-plugins-bad";
export const LIBAV = "gstreamer1.0-libav";

interface Need {
  /** What is asked. */
  type: string;
  /** What brings it. */
  pack: string;
}

const H264: Need = { type: 'video/mp4; codecs="avc1.640028"', pack: LIBAV };
const AAC: Need = { type: 'audio/mp4; codecs="mp4a.40.2"', pack: LIBAV };
const HEVC: Need = { type: 'video/mp4; codecs="hvc1.1.6.L93.B0"', pack: LIBAV };
const AV1: Need = { type: 'video/mp4; codecs="av01.0.04M.08"', pack: BAD };
const AVI: Need = { type: 'video/x-msvideo; codecs="mp4v.20.9"', pack: LIBAV };
const MP3: Need = { type: "audio/mpeg", pack: GOOD };
const WAV: Need = { type: "audio/wav", pack: GOOD };
const FLAC: Need = { type: "audio/flac", pack: GOOD };
const VP8: Need = { type: 'video/webm; codecs="vp8"', pack: GOOD };
const VP9: Need = { type: 'video/webm; codecs="vp9"', pack: GOOD };
const VORBIS: Need = { type: 'audio/ogg; codecs="vorbis"', pack: BASE };
const OPUS: Need = { type: 'audio/ogg; codecs="opus"', pack: BASE };
const THEORA: Need = { type: 'video/ogg; codecs="theora"', pack: BASE };

const MOVIE = [H264, AAC, HEVC, AV1];
const WEB = [VP8, VP9, VORBIS, OPUS, AV1];
const NEEDS: Readonly<Record<string, readonly Need[]>> = {
  MP4: MOVIE,
  M4V: MOVIE,
  MOV: MOVIE,
  MKV: [...MOVIE, VP8, VP9, VORBIS, OPUS],
  WEBM: WEB,
  // H.264 in an AVI plays with the second alone, and AV1 tells whether that is there.
  AVI: [AVI, AV1],
  M4A: [AAC],
  AAC: [AAC],
  MP3: [MP3],
  WAV: [WAV],
  FLAC: [FLAC],
  OGG: [VORBIS, OPUS],
  OGA: [VORBIS, OPUS],
  OPUS: [OPUS],
  OGV: [THEORA, VORBIS],
};

/** Packages that are missing for a file of this format (`MKV`); none: the decoders are there. */
export function missingPackages(format: string, canPlay: CanPlay): string[] {
  const missing = (NEEDS[format] ?? []).filter((need) => !canPlay(need.type)).map((need) => need.pack);
  return [...new Set(missing)];
}

export function installCommand(packages: readonly string[]): string | null {
  return packages.length === 0 ? null : `sudo apt install ${packages.join(" ")}`;
}
