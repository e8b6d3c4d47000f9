/** The words of the chat area: header, transcript, Markdown and composer. */

export const chatTexts = {
  newSession: "New session",
  untitled: "Untitled session",
  openSidebar: "Open sidebar",
  menu: "Session menu",
  branch: (name: string) => `Git branch ${name}`,
  close: "Close",
  revealQuestion: (name: string) => `Show ${name} in its folder?`,
  reveal: "Reveal",
  emptyDraft: "Nothing here yet. What you write below is kept as a draft.",
} as const;

export const composerTexts = {
  message: "Message",
  send: "Send",
  noModel: "No model is connected yet",
  whatWorks: "!command runs a command.",
  connect: "Connect a model",
  model: (name: string) => `Model: ${name}`,
  draftNotSaved: "Draft not saved.",
  tryAgain: "Try again",
  stop: "Stop",
  stopping: "Stopping",
  nothingWritten: "Nothing is written yet",
  sending: "Sending",
  waysToSend: "Ways to send",
  sendAfter: "Send after this turn",
  sendInto: "Send into this turn",
  queued: "Next message",
  next: (text: string) => `Next: ${text}`,
  editQueued: "Edit the next message",
  removeQueued: "Remove the next message",
} as const;

export const transcriptTexts = {
  transcript: "Transcript",
  loading: "Reading messages...",
  empty: "This session has no messages.",
  notRead: "Messages could not be read.",
  tryAgain: "Try again",
  jumpToLatest: "Jump to latest",
  newCount: (n: number) => `${n.toLocaleString()} new`,
  /** The accessible names of the rows. */
  from: {
    user: "You",
    assistant: "Assistant",
    tool: "Tool",
    notice: "Notice",
    summary: "Summary",
    system: "System",
  },
  at: (who: string, when: string) => `${who}, ${when}`,
  copyText: "Copy as text",
  copyMarkdown: "Copy as Markdown",
  copied: "Copied",
  notCopied: "Not copied. The system refused the clipboard.",
  reasoning: "Reasoning",
  summary: "Earlier messages were summarised",
  system: "System text",
  interrupted: "Stopped before it was finished.",
  cutByLength: "Cut off: the model reached its length limit.",
} as const;

export const toolTexts = {
  done: "Done",
  failed: "Failed",
  denied: "Denied",
  unanswered: "No result",
  written: "Being written",
  waiting: "Waiting for your answer",
  running: "Running",
  unansweredWhy: "No result of this call is stored. The turn ended before it.",
  arguments: "Arguments",
  output: "Output",
  outputTail: (shown: number, all: number) =>
    `Output, last ${shown} of ${all.toLocaleString()} ${all === 1 ? "line" : "lines"}`,
  noOutput: "No output.",
  noOutputYet: "No output yet.",
  showAll: "Show all",
  showLess: "Show less",
  shortened: "Only the last part is shown here. Copy has all of it.",
  copyOutput: "Copy output",
  name: (tool: string, state: string) => `${tool}, ${state.toLowerCase()}`,
} as const;

export const noticeTexts = {
  processEnded: "Process ended",
  subAgentFinished: "Sub-agent finished",
  subAgentFailed: "Sub-agent failed",
  watchMatch: "Output matched",
  watchDisabled: "Watching stopped",
  notice: "Notice",
  openChild: "Open child session",
  output: "Output",
  showMore: (n: number) => `Show ${n.toLocaleString()} more ${n === 1 ? "line" : "lines"}`,
  showLess: "Show less",
} as const;

export const markdownTexts = {
  picture: "Picture",
  pictureOn: (host: string) => `Picture on ${host}`,
  text: "Text",
  code: "Code",
  table: "Table",
  formula: "Formula",
  copyCode: "Copy",
  copied: "Copied",
  notCopied: "Not copied. The system refused the clipboard.",
  wrap: "Wrap long lines",
  showMoreLines: (n: number) => `Show ${n.toLocaleString()} more ${n === 1 ? "line" : "lines"}`,
  showLess: "Show less",
  showMoreText: (n: number) =>
    `Show more (${n.toLocaleString()} ${n === 1 ? "character" : "characters"} left)`,
  done: "Done",
  open: "Not done",
} as const;
