/**
 * When a draft is read and written. Pure timing over a port: it knows neither the page nor the host.
 *
 * Rules it keeps: text reaches the store within 500 ms of the first unsaved keystroke, and at every change of
 * session; writes of one draft land in the order they were typed; a draft is read only after its own writes are
 * through; text of one session is never shown in another; what is typed while a draft is still being read wins.
 */

/** A session's id, or null for the window's unsaved session. */
export type DraftKey = string | null;

export interface DraftPort {
  read(key: DraftKey): Promise<string>;
  /** `""` removes the draft. `folder` belongs to the unsaved session only. */
  write(key: DraftKey, text: string, folder: string | null): Promise<void>;
}

export interface DraftView {
  /** The text to show in place of what is there. */
  show(text: string): void;
  /** Whether the newest text is known not to be stored. */
  failed(failed: boolean): void;
}

/** Milliseconds from the first unsaved keystroke to its write; the rest of the 500 ms is for the write itself. */
export const WRITE_AFTER_MS = 300;

export interface Drafts {
  /** Turns to a draft: writes what is unsaved, empties the view, then shows the stored text. */
  open(key: DraftKey, folder: string | null): void;
  /**
   * What is written belongs to this key from now on: the unsaved session was stored, or a session goes on in a
   * continuation. The view stays as it is.
   */
  follow(key: DraftKey): void;
  /** The user changed the text. */
  typed(text: string): void;
  /** Another draft is open by now: this one, which was sent, goes, unless something else is in it already. */
  sent(key: DraftKey, text: string): Promise<void>;
  /** Writes now what is not stored yet. Resolves when the writes under way are through. */
  flush(): Promise<void>;
}

export function createDrafts(port: DraftPort, view: DraftView): Drafts {
  let key: DraftKey | undefined;
  let folder: string | null = null;
  let text = "";
  let unsaved = false;
  /** Counts the turns to a draft, so that a late answer finds out that it is late. */
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const writes = new Map<DraftKey, Promise<void>>();

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!unsaved || key === undefined) return;
    unsaved = false;
    const [itsKey, itsText, itsFolder, itsTurn] = [key, text, folder, turn];
    const before = writes.get(itsKey) ?? Promise.resolve();
    const mine = before
      .then(() => port.write(itsKey, itsText, itsFolder))
      .then(
        () => {
          if (turn === itsTurn && !unsaved) view.failed(false);
        },
        () => {
          if (turn !== itsTurn) return;
          // Still in the field, so nothing is lost: the next keystroke, switch or "Try again" writes it.
          unsaved = true;
          view.failed(true);
        },
      );
    writes.set(itsKey, mine);
    void mine.then(() => {
      if (writes.get(itsKey) === mine) writes.delete(itsKey);
    });
  }

  function schedule(): void {
    // Not moved by later keystrokes: somebody who never pauses is saved as well.
    timer ??= setTimeout(write, WRITE_AFTER_MS);
  }

  return {
    open(nextKey, nextFolder) {
      if (nextKey === key) {
        if (nextFolder !== folder) {
          folder = nextFolder;
          if (text !== "") {
            unsaved = true;
            schedule();
          }
        }
        return;
      }
      write();
      const mine = ++turn;
      key = nextKey;
      folder = nextFolder;
      text = "";
      unsaved = false;
      view.show("");
      view.failed(false);
      void (writes.get(nextKey) ?? Promise.resolve())
        .then(() => port.read(nextKey))
        .then(
          (stored) => {
            if (turn !== mine || unsaved || text !== "") return;
            text = stored;
            view.show(stored);
          },
          // An unreadable draft leaves an empty field; it stays in the store until something is typed here.
          () => undefined,
        );
    },
    follow(nextKey) {
      if (key === undefined || nextKey === key) return;
      const [before, kept] = [key, text];
      // The window's unsaved session is another one now, so its draft goes; a session's own is its lineage's.
      if (before === null) {
        text = "";
        unsaved = true;
      }
      write();
      turn++;
      key = nextKey;
      folder = null;
      text = kept;
      unsaved = kept !== "";
      view.failed(false);
      if (unsaved) schedule();
    },
    typed(next) {
      if (next === text && !unsaved) return;
      text = next;
      unsaved = true;
      schedule();
    },
    async sent(sentKey, sentText) {
      if (sentKey === key) return;
      try {
        await writes.get(sentKey);
        if ((await port.read(sentKey)) === sentText) await port.write(sentKey, "", null);
      } catch {
        // The text stays as a draft: seen twice is better than lost.
      }
    },
    async flush() {
      write();
      await Promise.all(writes.values());
    },
  };
}
