// What a person does with a player, by its element's own events. Each wait ends with words at its deadline. What was
// measured is judged outside.
const playing = (() => {
  const DEADLINE_MS = 60_000;

  // Waits until `holds`, which is asked at these events of the player.
  function until(player, what, events, holds) {
    return new Promise((resolve, reject) => {
      const all = [...events, "error"];
      const finish = (settle, value) => {
        clearTimeout(timer);
        for (const type of all) player.removeEventListener(type, look);
        settle(value);
      };
      const look = () => {
        if (player.error) finish(reject, new Error(`media error ${player.error.code} instead of ${what}`));
        else if (holds()) finish(resolve);
      };
      const timer = setTimeout(
        () => finish(reject, new Error(`waited for ${what}; ${page.state(player)}`)), DEADLINE_MS);
      for (const type of all) player.addEventListener(type, look);
      look();
    });
  }

  // The card's player once its length is known and, unless told otherwise, its first picture is sought. The card may put
  // another one in its place, so it is looked for anew.
  async function find(name, evenSeeking = false) {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const group = page.first("group", name);
      group?.scrollIntoView({ block: "center" });
      if (group?.dataset.mediaState === "error") throw new Error(page.text(group));
      const player = group?.querySelector("video, audio");
      if (group?.dataset.mediaState === "ready" && player?.readyState >= 1 && (evenSeeking || !player.seeking)) {
        return player;
      }
      if (performance.now() > deadline) {
        throw new Error(`waited for its player; ${group?.dataset.mediaState}; ${player ? page.state(player) : "none"}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  // Never awaited: WebKit may never settle its promise (measured).
  const start = (player) => void player.play().catch(() => undefined);

  const runs = (player, what, from) =>
    until(player, what, ["timeupdate"], () => !player.seeking && player.currentTime > from + 0.3);

  async function pause(player) {
    player.pause();
    await until(player, "the pause", ["pause"], () => player.paused);
  }

  async function seek(player, what, to) {
    let through = false;
    player.addEventListener("seeked", () => (through = true), { once: true });
    player.currentTime = to;
    await until(player, `the seek to ${what}`, ["seeked"], () => through && !player.seeking);
    return player.currentTime;
  }

  // Sets the running clock and lets it run from there.
  async function visit(player, asked) {
    const began = performance.now();
    await seek(player, `${asked} s`, asked);
    await runs(player, `the clock to run from ${asked} s`, player.currentTime);
    return { asked, at: player.currentTime, after: (performance.now() - began) / 1000 };
  }

  // Whoever presses play at the end hears it again from the start.
  async function replay(player) {
    start(player);
    await until(player, "the replay", ["timeupdate"],
      () => !player.seeking && player.currentTime > 0.3 && player.currentTime < player.duration - 0.5);
  }

  // As a person presses play: whatever is still under way.
  async function plays(name) {
    const player = await find(name, true);
    start(player);
    await runs(player, "the clock to run", player.currentTime);
    await pause(player);
    return { src: player.src, duration: player.duration };
  }

  async function everything(name) {
    const player = await find(name);
    const { src, duration, videoWidth: width = 0 } = player;
    start(player);
    await runs(player, "the clock to run", player.currentTime);
    const middle = await visit(player, duration / 2);
    await pause(player);
    const first = await seek(player, "the start", 0);
    await seek(player, "two seconds", 2);
    const negative = await seek(player, "before the start", -5);
    const past = await seek(player, "past the end", player.duration + 60);
    // The length itself may become known more exactly at the end.
    const whole = player.duration;
    await replay(player);
    await pause(player);
    const end = await seek(player, "the end", player.duration);
    return { src, duration, width, middle, first, negative, past, whole, end };
  }

  // Sets the running clock to these places, one after the other, and lets it run from each.
  async function visits(name, places) {
    const player = await find(name);
    start(player);
    await runs(player, "the clock to run", player.currentTime);
    const landings = [];
    for (const place of places) landings.push(await visit(player, place));
    await pause(player);
    return { src: player.src, duration: player.duration, landings };
  }

  // Starts `what`; `window.played` says what came of it.
  function begin(what, ...given) {
    window.played = null;
    const settle = (answer) => (window.played = answer);
    what(...given).then((measured) => settle({ measured }), (error) => settle({ failed: String(error?.message ?? error) }));
  }

  return { everything, plays, visits, begin, find, start, runs, pause, seek, until };
})();
