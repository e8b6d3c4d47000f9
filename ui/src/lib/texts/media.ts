/** The words of media cards: players, pictures, copies, and why a file is not shown. */

export const mediaTexts = {
  kinds: { audio: "Audio", video: "Video", picture: "Picture", file: "File" },
  group: (kind: string, name: string) => `${kind}: ${name}`,
  close: "Close",
  tryAgain: "Try again",
  copyPath: "Copy path",
  copyAddress: "Copy address",
  copyCommand: "Copy command",
  copied: "Copied",
  notCopied: "Not copied. The system refused the clipboard.",

  open: "Open",
  reveal: "Reveal in folder",
  saveAs: "Save as",
  saveRuns: "It is being saved",
  notOpened: "Not opened.",
  notRevealed: "Not shown in its folder.",

  /** Elapsed and whole length, as the bar shows it and as it is spoken. */
  clock: (elapsed: string, length: string) => `${elapsed} / ${length}`,
  spokenClock: (elapsed: string, length: string) => `${elapsed} of ${length}`,
  speed: (speed: string) => `Speed ${speed}`,
  speeds: (name: string) => `Speed of ${name}`,
  pictureInPicture: "Picture in picture",
  noPictureInPicture: "Not shown apart. The system has no room for it now; play it here.",

  saving: (name: string) => `Saving ${name}`,
  saveAmount: (done: string, total: string) => `${done} of ${total}`,
  cancel: "Cancel",
  saved: (name: string) => `Saved as ${name}`,
  revealSaved: "Reveal",
  notSaved: "Not saved",
  notSavedName: (name: string) => `${name} not saved`,

  zoom: (name: string) => `Zoom ${name}`,
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  zoomedOut: "The whole picture is in view",
  fit: "Fit to window",
  actualSize: "Actual size",
  percent: (n: number) => `${n} %`,

  openInBrowser: "Open in browser",
  remoteTitle: (kind: string, host: string) => `${kind} on ${host}`,
  remoteWords: "Nothing is loaded from there. It opens in the browser.",

  missing: "File is missing",
  notShown: "Not shown here",
  tooLarge: "Picture is too large",
  blocked: "Blocked",
  otherComputer: "The file is on another computer",
  failed: "The file could not be opened",
  noPlayer: "The player did not start",
  codec: (format: string) => `${format} cannot be played on this computer`,
  codecWords:
    "The system has no decoder for it. On Debian and Ubuntu install what is missing, then start Talaria again:",
  codecOther: "The system has no decoder for this format. Convert the file, or play it in another program.",
  damaged: "The file cannot be played",
  damagedWords:
    "It is incomplete or damaged, or holds a format that is not known here. Wait until it is written or make it again, then try again.",
  empty: "The file is empty",
  emptyWords: "Nothing has been written to it. Wait until it is written or make it again, then try again.",
  pictureBroken: "The picture cannot be shown",
  pictureBrokenWords: "The content is damaged or not finished. Make the file again, then try again.",
  noPicture: "No picture in this file",
  noPictureWords: "It has sound only. The sound plays here.",
  noPictureCodec:
    "It has sound only, or its video needs a decoder that is not installed. The sound plays here. On Debian and Ubuntu install what is missing, then start Talaria again:",
  aborted: "Reading stopped",
  slow: "This takes unusually long.",
  abortedWords: "The file changed or could not be read to its end. Try again.",
} as const;
