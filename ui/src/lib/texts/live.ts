/** The words of a session that is at work: turns, approvals, changes of files, other windows. */

const count = (n: number, one: string, many: string) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export const liveTexts = {
  elsewhere: "This session is open in another window.",
  elsewhereHint: "It is shown there now. A session is open in one window at a time.",
  showThere: "Show it there",
  moveHere: "Move to this window",
  moved: "Moved to another window",
  movedHint: "It goes on there.",
  bringBack: "Bring back",
  notMoved: "The session could not be moved here",
  openInWindow: "Open in new window",
  windowFailed: "No window was opened",

  writing: "Assistant, writing",
  thinking: "Thinking...",
  compressing: "Summing up the earlier messages...",
  runningFor: (time: string) => `Running for ${time}`,
  compressingFor: (time: string) => `Summing up for ${time}`,

  notOpened: "The session is open for reading only.",
  tryAgain: "Try again",
  notSent: "Not sent.",
  notStopped: "Not stopped",
  notQueued: "The next message was not changed",
  notRetried: "Not tried again",
  notUndone: "Not undone",
  modelNotChosen: "The model was not changed",
  notCompressed: "Not summed up",
  retry: "Retry",
  modelSettings: "Model settings",

  undoExchange: "Undo last exchange",
  undoQuestion: "Undo the last exchange?",
  undoHint:
    "Your last message and everything after it leave the session. Your message goes back to where you write.",
  undo: "Undo",
  compress: "Sum up earlier messages",
  compressQuestion: "Sum up the earlier messages?",
  compressHint:
    "The model writes a summary, and the session goes on with it. All messages stay readable here.",
  compressConfirm: "Sum up",
  whileRunning: "Not while a turn is under way. Stop it first.",
  needsModel: "No model is connected.",

  edit: "Edit and send again",
  editField: "Edit message",
  editHint: "What came after this message leaves the session.",
  cancel: "Cancel",
  retryAnswer: "Try this answer again",
} as const;

export const approvalTexts = {
  needed: "Approval needed",
  name: (tool: string) => `Approval: ${tool}`,
  place: (tool: string, folder: string | null) => (folder === null ? tool : `${tool}, in ${folder}`),
  what: "What it would do",
  once: "Allow once",
  session: "Allow for session",
  always: "Always",
  deny: "Deny",
  announced: (tool: string, text: string) => `Approval needed. ${tool}: ${text}`,
  answered: {
    once: "Allowed once",
    session: "Allowed for this session",
    always: "Always allowed",
    deny: "Denied",
  },
  notAnswered: "Your answer did not arrive.",
  gone: "This question is over. It was answered, or its time ran out.",
  waiting: (n: number) => count(n, "approval needed", "approvals needed"),
} as const;

export const changeTexts = {
  label: (path: string) => `Change of ${path}`,
  undo: "Undo this change",
  question: (name: string) => `Put ${name} back as it was?`,
  hint: "The change that the agent made to this file is taken back.",
  confirm: "Put back",
  takenBack: "Taken back",
  notTakenBack: "Not taken back.",
  showMore: (n: number) => `Show ${n.toLocaleString("en")} more ${n === 1 ? "line" : "lines"}`,
  showLess: "Show less",
} as const;

export const usageTexts = {
  tokens: (n: string) => `${n} tokens`,
  share: (percent: number) => `${percent} % of the context`,
  label: "Usage of this session",
  input: (n: string) => `${n} tokens in`,
  output: (n: string) => `${n} tokens out`,
  calls: (n: number) => count(n, "request to the model", "requests to the model"),
  context: (used: string, max: string | null) =>
    max === null ? `${used} tokens in the last request` : `${used} of ${max} tokens of the context`,
  cost: (amount: string) => `costs ${amount}`,
} as const;
